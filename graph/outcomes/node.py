"""The node class of outcomes."""

from __future__ import annotations

from prefrontal.graph.node import Node
from prefrontal.graph.relations import CONTRADICTS, LESSON, SUPPORTS, TAUGHT


class Outcome(Node):
    """How a turn ended."""

    taught = TAUGHT.to(LESSON)
    supports = SUPPORTS.to(LESSON)
    contradicts = CONTRADICTS.to(LESSON)
