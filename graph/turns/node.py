"""Graph schema of turns."""

from __future__ import annotations

from typing import ClassVar

from neomodel import StringProperty

from prefrontal.graph.node import ChangingNode, Properties
from prefrontal.graph.relations import (
    CONTEXT_RECEIPT,
    GOAL,
    LOGGED,
    MEMORY,
    PROPOSED,
    RECEIVED,
    REGISTRY_PROPOSAL,
    SAW,
    TRACE_EVENT,
)


class Turn(ChangingNode):
    """One step of an agent; `key` is the client's id of the turn."""

    accompanies = True

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "key"),)

    key = StringProperty(required=True)

    saw_memories = SAW.to(MEMORY)
    saw_goals = SAW.to(GOAL)
    proposals = PROPOSED.to(REGISTRY_PROPOSAL)
    receipts = RECEIVED.to(CONTEXT_RECEIPT)
    trace = LOGGED.to(TRACE_EVENT)
