"""What an import makes of the parts of a file: memories and messages, each with its line and its key.

Readers are pure: they take a text and say what stands in it. Nothing of a file is obeyed or run.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import Any

from prefrontal.graph.memory.record import MemoryDraft, MemoryKind
from prefrontal.graph.scratch.json_lines import Line, draft_line
from prefrontal.graph.text.folding import fold

MemoryLine = Line[MemoryDraft]
DERIVED = "import:"
"""What the client keys begin with that an import makes itself."""
_LATEST_SECONDS = 1e11
"""A larger number is a time in milliseconds."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a reader has to know beside the text."""

    name: str
    """The conversation of messages that name none."""
    kind: MemoryKind = MemoryKind.FACT
    """The kind of the entries that name none."""
    zone: tzinfo = UTC
    """The zone of times that name none."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of one of the files."""

    file: str
    line: MemoryLine


Reader = Callable[[str, Source], Iterable[MemoryLine]]


def memory(number: int, content: str, source: Source, tags: Sequence[str] = ()) -> MemoryLine:
    """Return a line with a memory of the source's kind."""
    return draft_line(number, MemoryDraft, {"kind": source.kind, "content": content, "tags": tuple(tags)})


def message(
    number: int, content: str, *, speaker: str | None, conversation: str, at: datetime | None
) -> MemoryLine:
    """Return a line with what somebody said in a conversation."""
    values: dict[str, Any] = {"kind": MemoryKind.MESSAGE, "content": content, "conversation": conversation}
    if speaker is not None:
        values["speaker"] = speaker
    if at is not None:
        values["happened_at"] = at
    return draft_line(number, MemoryDraft, values)


def moment(value: Any, zone: tzinfo) -> datetime | None:
    """Return the time that a chat export gives as seconds, milliseconds or ISO 8601; None for null.

    Raises:
        ValueError: If it is no time.
    """
    if value is None:
        return None
    try:
        if isinstance(value, str):
            said = datetime.fromisoformat(value)
            return (said if said.tzinfo else said.replace(tzinfo=zone)).astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if abs(value) > _LATEST_SECONDS else value, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    raise ValueError("the time must be one such as 2026-01-31T12:00:00Z")


def with_keys(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield the entries, each draft with a client key: its own, or one made of what it says.

    The key says nothing of the entry's place: the same text is known again in a longer file. Case and white
    space do not matter. Messages have their speaker and time in it, and equal ones of a file count: the
    second "yes" of a minute is another message.
    """
    said: Counter[tuple[str, str]] = Counter()
    for entry in entries:
        draft = entry.line.draft
        if draft is None or draft.client_key is not None:
            yield entry
            continue
        parts: list[Any] = [draft.kind, draft.conversation, fold(draft.content)]
        if draft.kind is MemoryKind.MESSAGE:
            parts += [draft.speaker, draft.happened_at.isoformat() if draft.happened_at else None]
            counted = (entry.file, _digest(parts))
            said[counted] += 1
            parts.append(said[counted])
        keyed = draft.model_copy(update={"client_key": DERIVED + _digest(parts)})
        yield Entry(entry.file, replace(entry.line, draft=keyed))


def _digest(parts: list[Any]) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:40]
