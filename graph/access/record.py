"""Spaces as values."""

from __future__ import annotations

from prefrontal.graph.caller import SpacePermission
from prefrontal.graph.record import Record


class Space(Record):
    """A place that memories belong to, and what the caller may do there."""

    uid: str
    key: str
    name: str
    kind: str
    permission: SpacePermission
