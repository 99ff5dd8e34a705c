"""Graph schema of turns."""

from __future__ import annotations

from typing import ClassVar

from neomodel import DateTimeNeo4jFormatProperty, StringProperty, ZeroOrOne

from prefrontal.graph.node import ChangingNode, Properties
from prefrontal.graph.relations import (
    ACTION_TYPE,
    CONTEXT_RECEIPT,
    GOAL,
    IN_SESSION,
    INVOKED,
    LOGGED,
    MADE,
    MEMORY,
    NEXT,
    OUTCOME,
    PENDING_ACTION,
    PROPOSED,
    QUESTION,
    RECEIVED,
    REGISTRY_PROPOSAL,
    RESULTED_IN,
    SAW,
    SESSION,
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
    )

    key = StringProperty(required=True)
    former_key = StringProperty(help_text="The client's name, once it stands for a later turn.")
    follows_uid = StringProperty(help_text="The id of the turn that the name stood for before.")
    status = StringProperty(required=True)
    ended_at = DateTimeNeo4jFormatProperty()

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
    next = NEXT.to(TURN)
    previous = NEXT.from_(TURN, ZeroOrOne)
    session = IN_SESSION.to(SESSION, ZeroOrOne)
