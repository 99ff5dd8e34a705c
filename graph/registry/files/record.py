"""Value types of the definitions in the files of a registry, as they are kept in the graph."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

from prefrontal.graph.record import Record

SETTINGS = "actions.yaml"
"""The id under which the settings for all types are kept; no type can have it."""


TURN_LASTS = timedelta(days=7)
"""A turn sees the registry of its beginning for this long; after that, the present one."""


class DefinitionState(StrEnum):
    """Whether the files still have a definition."""

    IN_FORCE = "in_force"
    RETIRED = "retired"


class TypeDefinition(Record):
    """One version of a definition in the files of a registry."""

    type_id: str
    number: int
    type_uid: str
    hash: str
    definition: str
    retired_statuses: dict[str, tuple[str, ...]]
    state: DefinitionState
    since: datetime | None
    until: datetime | None


class CommonSpace(Record):
    """An organisation's common space, where its members read what changed for all of them."""

    org_id: str
    scope_id: str


class LockedDefinitions(Record):
    """The kept definitions of a registry, locked until the commit, and who hears of their changes."""

    definitions: tuple[TypeDefinition, ...]
    spaces: tuple[CommonSpace, ...]


class RetiredUse(Record):
    """How many open actions still have a type or a status that the files dropped."""

    type_id: str
    status: str | None
    """None: the type's file is gone; the number is that of all its open actions."""
    number: int
