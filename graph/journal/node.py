"""Node classes of the journal. Trace entries, events and requests hold ids and codes, never content."""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    ArrayProperty,
    DateTimeNeo4jFormatProperty,
    IntegerProperty,
    StringProperty,
    ZeroOrOne,
)

from prefrontal.graph.node import Node, Properties
from prefrontal.graph.relations import (
    ACTION_TYPE,
    GOAL,
    LOGGED,
    MEMORY,
    OF,
    PENDING_ACTION,
    QUESTION,
    REGISTRY_PROPOSAL,
    STORY,
    TURN,
)


class TraceEvent(Node):
    """One entry of a turn's trace: one decision."""

    accompanies = True

    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "uid"),)

    kind = StringProperty(required=True)
    message = StringProperty(required=True)
    ids = ArrayProperty(StringProperty(), required=True)
    details = StringProperty(required=True, help_text="JSON of codes and numbers.")
    turn_uid = StringProperty(help_text="The id of the turn.")

    turn = LOGGED.from_(TURN, ZeroOrOne)


class OutboxEvent(Node):
    """One change of one aggregate. Subscribers receive it, and the audit log lists it.

    Events are the most numerous nodes, so each index has its reader: `list_audit_by_time`, `…_actor`,
    `…_type` and `…_turn`, then `list_audit_by_entity` and `find_awaiting_actions`, then the readers of events
    in their order.
    """

    accompanies = True

    composite_indexes: ClassVar[tuple[Properties, ...]] = (
        ("scope_id", "uid"),
        ("scope_id", "by_uid", "uid"),
        ("scope_id", "type", "uid"),
        ("scope_id", "turn_uid", "uid"),
        ("aggregate", "uid"),
        ("scope_id", "seq"),
    )
    composite_unique: ClassVar[tuple[Properties, ...]] = (("org_id", "seq"),)

    # No constraint of its own: every statement finds events by a space or a record.
    uid = StringProperty(required=True)
    type = StringProperty(required=True)
    aggregate = StringProperty(required=True)
    aggregate_version = IntegerProperty(required=True)
    data = StringProperty(required=True, help_text="JSON of ids and codes.")
    turn_uid = StringProperty(help_text="The id of the turn.")
    seq = IntegerProperty(
        help_text="The place among the organisation's events, 1, 2, 3 …; none until the relay stamps it."
    )


class Unsequenced(OutboxEvent):
    """An event that has not been given its place in the order of its organisation's events yet."""

    composite_indexes: ClassVar[tuple[Properties, ...]] = (("uid",), ("aggregate", "aggregate_version"))


class DeadLetter(OutboxEvent):
    """An event that a broker refused for good: it is kept until an operator sends it again."""

    composite_indexes: ClassVar[tuple[Properties, ...]] = (("uid",),)

    dead_for = StringProperty(required=True, help_text="The consumer that went on without it.")
    dead_at = DateTimeNeo4jFormatProperty(required=True)
    dead_attempts = IntegerProperty(required=True)
    dead_reason = StringProperty(required=True, help_text="What the broker said.")


class Version(Node):
    """One version of a versioned node: the fields that one change of the node changed."""

    accompanies = True

    composite_unique: ClassVar[tuple[Properties, ...]] = (("of_uid", "number"),)
    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "uid"),)

    of_uid = StringProperty(required=True)
    number = IntegerProperty(required=True)
    changes = StringProperty(
        required=True, help_text="JSON of the new values; every field in a first version."
    )
    fields = ArrayProperty(StringProperty(), required=True, help_text="The names of the fields in `changes`.")
    before = StringProperty(help_text="JSON of the old values, for kinds without a stored first version.")
    request_key = StringProperty(help_text="The idempotency key of the request that made the version.")
    turn_uid = StringProperty(help_text="The id of the turn.")

    # The node that the version belongs to is of one of these classes.
    of_memory = OF.to(MEMORY, ZeroOrOne, group="of")
    of_goal = OF.to(GOAL, ZeroOrOne, group="of")
    of_action = OF.to(PENDING_ACTION, ZeroOrOne, group="of")
    of_question = OF.to(QUESTION, ZeroOrOne, group="of")
    of_story = OF.to(STORY, ZeroOrOne, group="of")
    of_proposal = OF.to(REGISTRY_PROPOSAL, ZeroOrOne, group="of")
    of_action_type = OF.to(ACTION_TYPE, ZeroOrOne, group="of")


class Request(Node):
    """A used idempotency key, with the ids that its request returned."""

    accompanies = True

    composite_unique: ClassVar[tuple[Properties, ...]] = (("org_id", "by_uid", "key"),)

    key = StringProperty(required=True)
    body_hash = StringProperty(required=True)
    result = StringProperty(required=True, help_text="JSON of ids.")
    expires_at = DateTimeNeo4jFormatProperty(required=True, index=True)
