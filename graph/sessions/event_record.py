"""A record of an event of a session, as source 002 §1.5 has it."""

from __future__ import annotations

from typing import Any

from pydantic import Json

from prefrontal.graph.record import Record


class CognitiveEvent(Record):
    """One event: its topic and its payload, which has ids, codes, numbers and times, and no text."""

    uid: str
    topic: str
    """Such as `cognitive.working_memory.updated`."""
    payload: Json[dict[str, Any]]
