"""The record of a space."""

from __future__ import annotations

from prefrontal.graph.caller import SpacePermission
from prefrontal.graph.record import Record


class Space(Record):
    """A space, with the strongest permission that the caller has in it."""

    uid: str
    key: str
    name: str
    kind: str
    permission: SpacePermission
