"""Ids: a prefix for the kind of node, then a ULID, e.g. `obs_01JBXM3Z8K0QF3W4T9V2C7H5RD`.

ULIDs sort by time of creation, so an id also serves as a stable tie-breaker. Clients treat ids as opaque.
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
    """The kind of node that an id belongs to. The value is the id's prefix; the name is the node's label."""

    ORGANISATION = "org"
    AGENT = "agt"
    PERSON = "per"
    DEVICE = "dev"
    SPACE = "spc"
    OBSERVATION = "obs"
    TAG = "tag"
    TOPIC = "topic"
    GOAL = "goal"
    PENDING_ACTION = "act"
    ACTION_TYPE = "aty"
    QUESTION = "qst"
    STORY = "story"
    REGISTRY_PROPOSAL = "prop"
    MANDATE = "man"
    CAPABILITY = "cap"
    FACT = "fact"
    SKILL = "skill"
    EPISODE = "epi"
    MESSAGE = "msg"
    LESSON = "les"
    PASSAGE = "pas"
    CONVERSATION = "conv"
    TOMBSTONE = "tomb"
    SUMMARY = "sum"
    ENTITY = "ent"
    NAME = "name"
    SESSION = "ses"
    ACCESS_LOG = "acc"
    FRAGMENT = "frag"
    CHECKPOINT = "ckpt"
    TURN = "turn"
    TOOL_INVOCATION = "inv"
    RESULT_PART = "part"
    TOOL = "tool"
    STATE_EXPORT = "exp"
    PENDING_COMMIT = "pcm"
    TRACE_EVENT = "trc"
    CONTEXT_RECEIPT = "rcp"
    OUTCOME = "out"
    VERSION = "ver"
    OUTBOX_EVENT = "evt"
    EVENT_COUNTER = "evc"
    EVENT_CONSUMER = "ecn"
    REQUEST = "req"
    JOB = "job"


_BY_PREFIX = {kind.value: kind for kind in Kind}
_SHAPE = re.compile(r"([a-z]{2,5})_([0-7][0-9A-HJKMNP-TV-Z]{25})")


def new_id(kind: Kind, at: datetime) -> str:
    """Return a new id of a kind. The time part of its ULID is `at`."""
    return f"{kind.value}_{ULID.from_datetime(at)}"


def new_ids(kind: Kind, at: datetime, count: int) -> list[str]:
    """Return `count` new ids in ascending order, so that sorting a batch by id gives its input order."""
    return sorted(new_id(kind, at) for _ in range(count))


def floor_id(kind: Kind, at: datetime) -> str:
    """Return a string that sorts before every id of a kind made at `at` or later, to the millisecond."""
    # A ULID cannot represent a time before 1970.
    return f"{kind.value}_{str(ULID.from_datetime(max(at, _EPOCH)))[:10]}"


def kind_of(uid: str) -> Kind | None:
    """Return the kind of an id, or None if the text is not a well-formed id."""
    match = _SHAPE.fullmatch(uid)
    return _BY_PREFIX.get(match[1]) if match else None
