"""The text of a context: one line per item, under one heading per kind.

Stored text is data. It is rendered as a JSON string on one line, so that it cannot be mistaken for a heading,
an item or an instruction of this service. Every piece ends with a line feed and begins with neither white
space nor a slash. Tokenizers split at such places, so the tokens of the whole text are the sum of the tokens
of its pieces.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from prefrontal.graph.clock import iso
from prefrontal.graph.context.record import CandidateKind, Item

HEADINGS = {
    CandidateKind.MANDATE: "# Mandates\n",
    CandidateKind.CAPABILITY: "# Capabilities\n",
    CandidateKind.GOAL: "# Goals\n",
    CandidateKind.OBSERVATION: "# Observations\n",
}


def quoted(text: str) -> str:
    """Return stored text on one line: as a JSON string in which Unicode line separators are escaped too."""
    plain = json.dumps(text, ensure_ascii=False)
    for separator in ("\u0085", "\u2028", "\u2029", "\x7f"):
        plain = plain.replace(separator, f"\\u{ord(separator):04x}")
    return plain


def memory_line(content: str) -> str:
    """Return the line of a mandate or capability."""
    return f"- {quoted(content)}\n"


def goal_line(uid: str, title: str, priority: str, status: str, progress: float, above: Sequence[str]) -> str:
    """Return the line of a goal. `above` has the titles of the goals above it, the parent first."""
    line = f"- {uid} {quoted(title)} ({priority}, {status}, {round(progress * 100)}%)"
    if above:
        line += " part of " + " < ".join(quoted(title) for title in above)
    return line + "\n"


def observation_line(content: str, confidence: float, created_at: datetime) -> str:
    """Return the line of an observation."""
    return f"- {iso(created_at.replace(microsecond=0))} ({confidence:.2f}) {quoted(content)}\n"


def with_source(line: str, space: str, by: str) -> str:
    """Return a line that also says from which space it is, by name, and who wrote it."""
    return f"{line[:-1]} [space {quoted(space)}, by {by}]\n"


def text_of(items: Sequence[Item]) -> str:
    """Return the context's text: the items in order, a heading before the first of each kind."""
    pieces: list[str] = []
    last: CandidateKind | None = None
    for item in items:
        if item.kind is not last:
            pieces.append(HEADINGS[item.kind])
            last = item.kind
        pieces.append(item.text)
    return "".join(pieces)
