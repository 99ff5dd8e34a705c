"""What of a memory is encoded, and what the full-text index finds it by.

passage   the text; of a message with a known speaker `speaker: text`
terms     of the text, the speaker, the tags, the names of the entities, and the date
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from prefrontal.graph.text.terms import terms_of


class StoredText(NamedTuple):
    """The text of a stored memory."""

    uid: str
    content: str
    speaker: str | None

    @property
    def passage(self) -> str:
        """What is encoded."""
        return passage_of(self.content, self.speaker)


def passage_of(content: str, speaker: str | None = None) -> str:
    """Return the text of a memory that is encoded."""
    return content if speaker is None else f"{speaker}: {content}"


def memory_terms(
    content: str,
    at: datetime,
    *,
    speaker: str | None = None,
    tags: Iterable[str] = (),
    names: Iterable[str] = (),
) -> str:
    """Return the terms of a memory that was said or noticed at a time; `names` are those of its entities."""
    return terms_of([content, *([speaker] if speaker is not None else []), *tags, *names], at)
