"""Ids: a prefix for the kind of node, then a ULID, e.g. `obs_01JBXM3Z8K0QF3W4T9V2C7H5RD`.

ULIDs sort by time of creation, so an id also serves as a stable tie-breaker. One process makes the ids of a
millisecond in ascending order; two processes may mix theirs. Clients treat ids as opaque.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import NewType

from ulid import ULID, RandomnessSource, ULIDGenerator

OrgId = NewType("OrgId", str)
ScopeId = NewType("ScopeId", str)
ActorId = NewType("ActorId", str)
ObservationId = NewType("ObservationId", str)
GoalId = NewType("GoalId", str)
ActionId = NewType("ActionId", str)
TurnId = NewType("TurnId", str)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# The last id is remembered for this many milliseconds, those that were used most recently.
_RECENT = 1024


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


class _AscendingInEachMillisecond:
    """Gives each id of a millisecond a greater random part than the one before, whatever was made in between.

    The library's policies remember only the last millisecond. Two requests at once, each with its own time,
    would take that memory from each other, and the order of what one of them writes would be left to chance.
    """

    def __init__(self) -> None:
        self._last: dict[int, int] = {}

    def resolve_randomness(self, timestamp: int, randomness_source: RandomnessSource) -> bytes:
        last = self._last.pop(timestamp, None)
        number = int.from_bytes(randomness_source(timestamp)) if last is None else last + 1
        self._last[timestamp] = number
        if len(self._last) > _RECENT:
            del self._last[next(iter(self._last))]
        # A number past the last one has a chance of one in 2 to the power of 80.
        return (number % (1 << 80)).to_bytes(10)


_ULIDS = ULIDGenerator(policy=_AscendingInEachMillisecond())


def new_id(kind: Kind, at: datetime) -> str:
    """Return a new id of a kind with the time `at`. It sorts after those that this process made for `at`."""
    return f"{kind.value}_{_ULIDS.generate(_milliseconds(at))}"


def new_ids(kind: Kind, at: datetime, count: int) -> list[str]:
    """Return `count` new ids in ascending order, so that sorting a batch by id gives its input order."""
    return [new_id(kind, at) for _ in range(count)]


def floor_id(kind: Kind, at: datetime) -> str:
    """Return a string that sorts before every id of a kind made at `at` or later, to the millisecond."""
    # A ULID cannot represent a time before 1970.
    return f"{kind.value}_{str(ULID.from_int(_milliseconds(max(at, _EPOCH)) << 80))[:10]}"


def _milliseconds(at: datetime) -> int:
    """Return the whole milliseconds since 1970, exactly; a float would round them."""
    return (at - _EPOCH) // timedelta(milliseconds=1)


def kind_of(uid: str) -> Kind | None:
    """Return the kind of an id, or None if the text is not a well-formed id."""
    match = _SHAPE.fullmatch(uid)
    return _BY_PREFIX.get(match[1]) if match else None
