"""The registry of the settings, read once in each process of the run."""

from __future__ import annotations

import copy
from functools import lru_cache
from pathlib import Path
from typing import TypedDict

from prefrontal.graph.config import Catalog
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.registry.definitions import ActionTypes
from prefrontal.graph.registry.load import load_registry


class Registry(TypedDict):
    """What `build_services` takes instead of reading the files itself."""

    catalog: Catalog
    action_types: ActionTypes


def registry_of(settings: Settings) -> Registry:
    """Return the tables and the action types for one test, which may replace tables and types of its own."""
    catalog, types = _read(settings.registry_dir)
    # What is replaced is an attribute: tables, types and moments themselves are never changed.
    return {"catalog": catalog.model_copy(), "action_types": copy.copy(types)}


@lru_cache(maxsize=1)
def _read(folder: Path) -> tuple[Catalog, ActionTypes]:
    return load_registry(folder)
