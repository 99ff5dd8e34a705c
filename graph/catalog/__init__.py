"""The registry: every table of numbers and names the rules use, as frozen values.

Formulas read their weights from here, so a number is changed in one YAML file and in no code.
"""

from prefrontal.graph.catalog.action_types import ActionType, ActionTypeFile, ActionTypes
from prefrontal.graph.catalog.load import RegistryFiles, load_action_types, load_catalog, read_action_types
from prefrontal.graph.catalog.models import Catalog

__all__ = [
    "ActionType",
    "ActionTypeFile",
    "ActionTypes",
    "Catalog",
    "RegistryFiles",
    "load_action_types",
    "load_catalog",
    "read_action_types",
]
