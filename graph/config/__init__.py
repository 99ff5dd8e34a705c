"""Configuration: the settings of the environment, and every number the rules use, as frozen values.

Formulas read their weights from the tables under `registry/`, so a number is changed in one YAML file and in
no code.
"""

from prefrontal.graph.config.load import load_catalog
from prefrontal.graph.config.tables import Catalog

__all__ = ["Catalog", "load_catalog"]
