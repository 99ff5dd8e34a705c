"""The registry and the statements of the settings, read once in each process of the run."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TypedDict

from prefrontal.graph.config import Catalog
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.registry.definitions import ActionTypes
from prefrontal.graph.registry.load import load_registry
from prefrontal.graph.storage.queries import Query, load_queries


class Registry(TypedDict):
    """What `build_services` takes instead of reading the files itself."""

    catalog: Catalog
    action_types: ActionTypes
    queries: Mapping[str, Query]


def registry_of(settings: Settings) -> Registry:
    """Return tables, types and statements for one test, which may replace tables and types of its own."""
    catalog, types = _read(settings.registry_dir)
    # What is replaced is an attribute: tables, types and moments themselves are never changed.
    return {
        "catalog": catalog.model_copy(),
        "action_types": copy.copy(types),
        "queries": _queries(settings.cypher_dir),
    }


@lru_cache(maxsize=1)
def _read(folder: Path) -> tuple[Catalog, ActionTypes]:
    return load_registry(folder)


@lru_cache(maxsize=1)
def _queries(folder: Path) -> Mapping[str, Query]:
    return load_queries(folder)
