"""The action types of each organisation: those of the files, overridden by its approved overrides.

    files      `ActionTypes`, replaced when the files change
    overrides  read from the graph once for each revision of an organisation's registry; every authenticated
               request carries the revision, so the next request sees a change made by another process
    flags      rollout flags that are on for this organisation alone

A table returned here never changes, so an operation in progress keeps the types with which it began.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.registry.definitions import (
    ActionsTable,
    ActionType,
    ActionTypes,
    Origin,
    TypeSource,
    may_be_safe,
)

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller


@dataclass(frozen=True, slots=True)
class TypeOverride:
    """A type that an organisation put in force for itself."""

    type: ActionType
    version: int
    since: datetime | None
    """When new actions of the organisation could first have the type; None if a file defined it before."""


@dataclass(frozen=True, slots=True)
class _OverrideState:
    """The overrides of an organisation at a revision of its registry, and when they were changed last."""

    revision: int
    overrides: Sequence[TypeOverride]
    changed: datetime | None


@dataclass(frozen=True, slots=True)
class _CachedTypes:
    """A table, and the state from which it was made."""

    files: object
    known: _OverrideState | None
    types: ActionTypes


class EffectiveTypes:
    """Returns the table of action types of each organisation."""

    def __init__(self, files: ActionTypes) -> None:
        self._files = files
        self._known: dict[str, _OverrideState] = {}
        self._made: dict[str, _CachedTypes] = {}

    def revision(self, org_id: str) -> int:
        """Return the revision of an organisation's overrides that this process knows; 0 if it knows none."""
        known = self._known.get(org_id)
        return known.revision if known else 0

    def keep(
        self,
        org_id: str,
        revision: int,
        overrides: Sequence[TypeOverride],
        changed: datetime | None = None,
    ) -> None:
        """Store an organisation's overrides, unless this process knows newer ones.

        `changed` is the time of the last change of an override, for turns that began before it.
        """
        if revision > self.revision(org_id):
            self._known[org_id] = _OverrideState(revision, tuple(overrides), changed)

    @property
    def table(self) -> ActionsTable:
        """The present settings of `actions.yaml`."""
        return self._files.table

    def files(self, caller: Caller) -> ActionTypes:
        """Return the types of the files, with the rollout flags of the caller's organisation."""
        return self._files.snapshot(caller.org_key)

    def changed_at(self, caller: Caller) -> datetime | None:
        """Return when the types of the caller's organisation changed last; None if they never did.

        Turns that began after it see the present types.
        """
        times = (self._files.moments[-1].since, self.own_changed_at(caller))
        return max((at for at in times if at is not None), default=None)

    def own_changed_at(self, caller: Caller) -> datetime | None:
        """Return the time of the last change of an override of the caller's organisation, or None."""
        known = self._known.get(caller.org_id)
        return known.changed if known else None

    def own(self, caller: Caller) -> Sequence[TypeOverride]:
        """Return the present overrides of the caller's organisation."""
        known = self._known.get(caller.org_id)
        return known.overrides if known else ()

    def at(self, caller: Caller, began: datetime, overrides: Sequence[TypeOverride]) -> ActionTypes:
        """Return the types that a turn sees which began at that time, given the overrides of then."""
        files = self._files.snapshot_at(began, caller.org_key)
        return with_overrides(files, overrides).before(self.of(caller))

    def of(self, caller: Caller) -> ActionTypes:
        """Return the types that are in force for the caller's organisation."""
        own = caller.org_key if caller.org_key in self._files.table.rollout_by_organisation else None
        known = self._known.get(caller.org_id)
        key = "" if known is None and own is None else caller.org_id
        made = self._made.get(key)
        if made is None or made.files is not self._files.moments or made.known is not known:
            state = self._files.moments
            types = with_overrides(self._files.snapshot(own), known.overrides if known else ())
            made = self._made[key] = _CachedTypes(state, known, types)
        return made.types


def with_overrides(files: ActionTypes, overrides: Sequence[TypeOverride]) -> ActionTypes:
    """Return the types of the files, overridden by an organisation's own."""
    if not overrides:
        return files
    types = dict(files)
    origins = {name: files.origin(name) for name in files}
    for override in overrides:
        name = override.type.id
        replaced = files.get(name)
        # An own type, too, leaves actions their way out of a status that the file dropped.
        types[name] = override.type.keeping(replaced.retired_statuses) if replaced else override.type
        origins[name] = Origin(
            source=TypeSource.OVERRIDE,
            version=override.version,
            since=override.since or files.origin(name).since,
            replaced=replaced,
        )
    safe = files.table.safe_type
    if not may_be_safe(types[safe]):
        # The files name another safe type since the override; unknown types must always have a usable safe
        # type.
        types[safe] = files[safe]
        origins[safe] = replace(files.origin(safe))
    return ActionTypes(types, files.table, origins=origins)
