"""Configuration as frozen values: the settings from the environment, and the numbers that the rules use.

Formulas read their weights from the tables under `registry/`. A number is therefore changed in one YAML
file, without a change of code.
"""

from prefrontal.graph.config.load import load_catalog
from prefrontal.graph.config.tables import Catalog

__all__ = ["Catalog", "load_catalog"]
