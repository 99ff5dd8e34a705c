"""Node classes of tool invocations."""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    BooleanProperty,
    DateTimeNeo4jFormatProperty,
    IntegerProperty,
    One,
    StringProperty,
    ZeroOrOne,
)

from prefrontal.graph.node import Node, Properties
from prefrontal.graph.relations import (
    ADVANCES,
    GOAL,
    INVOKED,
    OBSERVATION,
    PART_OF,
    RESULT_PART,
    RESULTED_IN,
    TOOL_INVOCATION,
    TURN,
)


class ToolInvocation(Node):
    """A call of a tool and what came back: an entry of the execution log."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "client_key"),)
    composite_indexes: ClassVar[tuple[Properties, ...]] = (
        ("scope_id", "uid"),
        ("scope_id", "tool", "uid"),
        ("scope_id", "status", "uid"),
        ("scope_id", "goal_uid", "uid"),
        ("scope_id", "by_uid"),
    )

    tool = StringProperty(required=True)
    status = StringProperty(required=True, help_text="success or failed.")
    error = StringProperty(help_text="Why it failed.")
    parameters = StringProperty(help_text="JSON.")
    execution_time_ms = IntegerProperty(required=True)
    execution_time_reported = BooleanProperty(required=True, help_text="Whether the caller said it.")
    called_at = DateTimeNeo4jFormatProperty(required=True)
    turn_uid = StringProperty(required=True)
    goal_uid = StringProperty(help_text="The goal for which the tool was called.")
    outcome_uid = StringProperty(help_text="The first outcome of the turn that was recorded after it.")
    client_key = StringProperty()
    client_hash = StringProperty(help_text="A digest of the draft.")
    result = StringProperty(help_text="JSON; none if the result is stored in parts.")
    result_preview = StringProperty(required=True, help_text="The first characters of the JSON.")
    result_bytes = IntegerProperty(required=True)
    result_digest = StringProperty(required=True, help_text="SHA-256 of the JSON.")

    turn = INVOKED.from_(TURN, One)
    goal = ADVANCES.to(GOAL, ZeroOrOne)
    parts = PART_OF.from_(RESULT_PART)
    observations = RESULTED_IN.to(OBSERVATION)


class Tool(Node):
    """A tool, and how often a space used it."""

    accompanies = True
    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "key"),)

    # No constraint of its own: every statement finds it by its space.
    uid = StringProperty(required=True)
    key = StringProperty(required=True, help_text="The name of the tool.")
    uses = IntegerProperty(required=True)
    successes = IntegerProperty(required=True)
    last_used_at = DateTimeNeo4jFormatProperty(required=True)


class ResultPart(Node):
    """A part of a long result."""

    accompanies = True

    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "by_uid"),)

    # No constraint of its own: every statement finds it by its invocation.
    uid = StringProperty(required=True)
    place = IntegerProperty(required=True, help_text="1 for the first part.")
    text = StringProperty(required=True)

    whole = PART_OF.to(TOOL_INVOCATION, One)
