"""What the command line offers as choices: enumerations without the records, whose import takes longer."""

from __future__ import annotations

from enum import StrEnum


class MemoryKind(StrEnum):
    """The kind of a durable memory. `memory.yaml` says how contexts show each."""

    MANDATE = "mandate"
    CAPABILITY = "capability"
    EPISODE = "episode"
    FACT = "fact"
    SKILL = "skill"
    MESSAGE = "message"
    LESSON = "lesson"
