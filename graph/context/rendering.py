"""The text of a context: one line per item under a heading per kind.

Foreign text is data. It is written as a JSON string on a line of its own, so that nothing stored can
pose as a heading, an item or an instruction of ours. Every piece ends in a line feed and begins with
neither white space nor a slash, which is where tokenizers split, so that the tokens of the whole are the
sum of the tokens of its pieces.
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
    """Return foreign text as one line: a JSON string, with the line separators of Unicode escaped too."""
    plain = json.dumps(text, ensure_ascii=False)
    for separator in ("\u0085", "\u2028", "\u2029", "\x7f"):
        plain = plain.replace(separator, f"\\u{ord(separator):04x}")
    return plain


def memory_line(content: str) -> str:
    """Return the line of a mandate or capability."""
    return f"- {quoted(content)}\n"


def goal_line(uid: str, title: str, priority: str, status: str, progress: float, above: Sequence[str]) -> str:
    """Return the line of a goal with the titles it is part of, nearest first."""
    line = f"- {uid} {quoted(title)} ({priority}, {status}, {round(progress * 100)}%)"
    if above:
        line += " part of " + " < ".join(quoted(title) for title in above)
    return line + "\n"


def observation_line(content: str, confidence: float, created_at: datetime) -> str:
    """Return the line of an observation."""
    return f"- {iso(created_at.replace(microsecond=0))} ({confidence:.2f}) {quoted(content)}\n"


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
