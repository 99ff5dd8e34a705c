"""Ids: a prefix that says the kind, then a ULID, e.g. `obs_01JBXM3Z8K0QF3W4T9V2C7H5RD`.

A ULID sorts by time of creation, so an id is also a stable tie-breaker. Ids are opaque to clients.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from enum import StrEnum
from typing import NewType

from ulid import ULID

OrgId = NewType("OrgId", str)
ScopeId = NewType("ScopeId", str)
ActorId = NewType("ActorId", str)
ObservationId = NewType("ObservationId", str)
GoalId = NewType("GoalId", str)
ActionId = NewType("ActionId", str)
TurnId = NewType("TurnId", str)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Kind(StrEnum):
    """What an id names: the value is its prefix, the name is the node's label in upper case."""

    ORGANISATION = "org"
    AGENT = "agt"
    PERSON = "per"
    DEVICE = "dev"
    SPACE = "spc"
    OBSERVATION = "obs"
    TAG = "tag"
    GOAL = "goal"
    PENDING_ACTION = "act"
    ACTION_TYPE = "aty"
    QUESTION = "qst"
    STORY = "story"
    REGISTRY_PROPOSAL = "prop"
    MANDATE = "man"
    CAPABILITY = "cap"
    SUMMARY = "sum"
    ENTITY = "ent"
    TURN = "turn"
    TRACE_EVENT = "trc"
    CONTEXT_RECEIPT = "rcp"
    VERSION = "ver"
    OUTBOX_EVENT = "evt"
    REQUEST = "req"
    JOB = "job"


_BY_PREFIX = {kind.value: kind for kind in Kind}
_SHAPE = re.compile(r"([a-z]{2,5})_([0-7][0-9A-HJKMNP-TV-Z]{25})")


def new_id(kind: Kind, at: datetime) -> str:
    """Return a fresh id of that kind whose time part is `at`."""
    return f"{kind.value}_{ULID.from_datetime(at)}"


def new_ids(kind: Kind, at: datetime, count: int) -> list[str]:
    """Return `count` fresh ids in ascending order, so that a batch keeps its input order."""
    return sorted(new_id(kind, at) for _ in range(count))


def floor_id(kind: Kind, at: datetime) -> str:
    """Return what sorts before every id of that kind made at `at` or later, to the millisecond."""
    # An id knows no time before 1970, and nothing is as old.
    return f"{kind.value}_{str(ULID.from_datetime(max(at, _EPOCH)))[:10]}"


def kind_of(uid: str) -> Kind | None:
    """Return the kind an id names, or None when it does not have the form of an id."""
    match = _SHAPE.fullmatch(uid)
    return _BY_PREFIX.get(match[1]) if match else None
