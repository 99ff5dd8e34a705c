"""The registry: every table of numbers and names the rules use, as frozen values.

Formulas read their weights from here, so a number is changed in one YAML file and in no code.
"""

from graph.catalog.load import load_catalog
from graph.catalog.models import ActionType, Catalog

__all__ = ["ActionType", "Catalog", "load_catalog"]
