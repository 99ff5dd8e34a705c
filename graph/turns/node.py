"""Graph schema of turns."""

from __future__ import annotations

from typing import ClassVar

from neomodel import DateTimeNeo4jFormatProperty, IntegerProperty, One, StringProperty, ZeroOrOne

from prefrontal.graph.node import ChangingNode, Node, Properties
from prefrontal.graph.relations import (
    ACTION_TYPE,
    CONTEXT_RECEIPT,
    EXPORTED,
    FAILED_IN,
    GOAL,
    IN_SESSION,
    INVOKED,
    LOGGED,
    MADE,
    MEMORY,
    NEXT,
    OUTCOME,
    PENDING_ACTION,
    PENDING_COMMIT,
    PROPOSED,
    QUESTION,
    RECEIVED,
    REGISTRY_PROPOSAL,
    RESULTED_IN,
    SAW,
    SESSION,
    STATE_EXPORT,
    STORY,
    SUMMARY,
    TOOL_INVOCATION,
    TRACE_EVENT,
    TURN,
)


class Turn(ChangingNode):
    """One step of an agent; `key` is what it is known by: the client's name, later the turn's id."""

    accompanies = True

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "key"),)
    composite_indexes: ClassVar[tuple[Properties, ...]] = (
        ("org_id", "key"),
        ("scope_id", "uid"),
        ("scope_id", "status", "uid"),
        ("status", "uid"),
        ("scope_id", "by_uid"),
    )

    key = StringProperty(required=True)
    former_key = StringProperty(help_text="The client's name, once it stands for a later turn.")
    follows_uid = StringProperty(help_text="The id of the turn that the name stood for before.")
    status = StringProperty(required=True)
    ended_at = DateTimeNeo4jFormatProperty()
    completed_at = DateTimeNeo4jFormatProperty(
        help_text="When its execution was complete, and its commit began."
    )
    final_at = DateTimeNeo4jFormatProperty(help_text="When its commit was done.")
    commit_status = StringProperty(
        help_text="ok, partial or failed; only of a turn that was committed whole."
    )
    summary = StringProperty(help_text="What was said, decided, done and refused, and what came of it.")

    saw_memories = SAW.to(MEMORY)
    saw_goals = SAW.to(GOAL)
    saw_actions = SAW.to(PENDING_ACTION)
    saw_questions = SAW.to(QUESTION)
    saw_stories = SAW.to(STORY)
    saw_summaries = SAW.to(SUMMARY)
    made_memories = MADE.to(MEMORY)
    made_goals = MADE.to(GOAL)
    made_actions = MADE.to(PENDING_ACTION)
    made_questions = MADE.to(QUESTION)
    made_stories = MADE.to(STORY)
    made_proposals = MADE.to(REGISTRY_PROPOSAL)
    made_action_types = MADE.to(ACTION_TYPE)
    proposals = PROPOSED.to(REGISTRY_PROPOSAL)
    receipts = RECEIVED.to(CONTEXT_RECEIPT)
    trace = LOGGED.to(TRACE_EVENT)
    invocations = INVOKED.to(TOOL_INVOCATION)
    outcomes = RESULTED_IN.to(OUTCOME)
    exports = EXPORTED.to(STATE_EXPORT)
    failed_parts = FAILED_IN.from_(PENDING_COMMIT)
    next = NEXT.to(TURN)
    previous = NEXT.from_(TURN, ZeroOrOne)
    session = IN_SESSION.to(SESSION, ZeroOrOne)


class StateExport(Node):
    """All state changes of a turn, as they were published to daemons."""

    accompanies = True

    composite_indexes: ClassVar[tuple[Properties, ...]] = (
        ("scope_id", "uid"),
        ("scope_id", "by_uid"),
    )

    turn_uid = StringProperty(required=True)
    body = StringProperty(required=True, help_text="JSON.")
    digest = StringProperty(required=True, help_text="The SHA-256 of the JSON.")

    turn = EXPORTED.from_(TURN, One)


class PendingCommit(Node):
    """A part of a turn's commit that failed, with what its store was to get; it is tried again."""

    accompanies = True

    composite_indexes: ClassVar[tuple[Properties, ...]] = (
        ("scope_id", "status", "uid"),
        ("scope_id", "by_uid"),
    )

    turn_uid = StringProperty(required=True)
    turn_id = StringProperty(required=True, help_text="What the turn was known by.")
    store = StringProperty(required=True)
    status = StringProperty(required=True, help_text="pending, escalated or committed.")
    attempts = IntegerProperty(required=True)
    code = StringProperty(help_text="Why the last attempt failed.")
    payload = StringProperty(help_text="JSON: what the store was to get; gone once it has it.")
    updated_at = DateTimeNeo4jFormatProperty(required=True)

    turn = FAILED_IN.to(TURN, One)
