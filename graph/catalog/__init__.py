"""The registry: every table of numbers and names the rules use, as frozen values.

Formulas read their weights from here, so a number is changed in one YAML file and in no code.
"""

from graph.catalog.action_types import ActionType, ActionTypes
from graph.catalog.load import load_action_types, load_catalog
from graph.catalog.models import Catalog

__all__ = ["ActionType", "ActionTypes", "Catalog", "load_action_types", "load_catalog"]
