"""Graph schema of turns."""

from __future__ import annotations

from typing import ClassVar

from neomodel import StringProperty

from prefrontal.graph.node import ChangingNode, Properties
from prefrontal.graph.relations import (
    ACTION_TYPE,
    CONTEXT_RECEIPT,
    GOAL,
    LOGGED,
    MADE,
    MEMORY,
    PENDING_ACTION,
    PROPOSED,
    QUESTION,
    RECEIVED,
    REGISTRY_PROPOSAL,
    SAW,
    STORY,
    TRACE_EVENT,
)


class Turn(ChangingNode):
    """One step of an agent; `key` is the client's id of the turn."""

    accompanies = True

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "key"),)
    composite_indexes: ClassVar[tuple[Properties, ...]] = (("org_id", "key"),)

    key = StringProperty(required=True)

    saw_memories = SAW.to(MEMORY)
    saw_goals = SAW.to(GOAL)
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
