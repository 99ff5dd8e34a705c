"""Records of what is wrong with stored sessions, and of what was done about it."""

from __future__ import annotations

from enum import StrEnum

from prefrontal.graph.record import Record


class Fault(StrEnum):
    """What is wrong with a session. The service writes none of it: something else did, or a disk failed."""

    NO_SPACE = "no_space"
    """Its space does not exist, so nobody can read it."""
    SESSION_FIELDS = "session_fields"
    """It lacks values, or has impossible ones."""
    STATUS = "status"
    """It has ended without a time, or goes on with one."""
    ENDED_WITH_ITEMS = "ended_with_items"
    """It has ended, and a slot has not."""
    COUNT = "count"
    """It says another number of items than it holds."""
    OVER_CAPACITY = "over_capacity"
    """It holds more than it may."""
    ALL_PINNED = "all_pinned"
    """No place is left for a new item, as every one is pinned."""
    DUPLICATE = "duplicate"
    """Two open slots are of one item, or of one memory."""
    DANGLING = "dangling"
    """A slot leads to something that is no memory."""
    FOREIGN = "foreign"
    """A slot leads to a memory of another organisation."""
    SLOT_FIELDS = "slot_fields"
    """A slot lacks values, or has impossible ones."""
    STRAY_TEXT = "stray_text"
    """A text that no active session holds was not destroyed."""
    STRAY_CHECKPOINT = "stray_checkpoint"
    """A checkpoint of a session that has ended, or of none."""


class Finding(Record):
    """Something that is wrong."""

    fault: Fault
    where: str
    """The id of the session, or of the text or checkpoint that belongs to none."""
    item_id: str | None = None
    fields: tuple[str, ...] = ()
    """The names of the wrong values."""
    done: str | None = None
    """What was done about it; None if nothing was."""
    why_not: str | None = None
    """Why nothing can be done about it."""


class IntegrityReport(Record):
    """What a check or a repair found."""

    sessions: int
    """How many sessions were looked at."""
    findings: tuple[Finding, ...] = ()

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong now: what was found was repaired."""
        return all(each.done is not None for each in self.findings)
