"""The text of a context: one line per item, under one heading per kind or in one element per kind.

    markdown    # Goals                                 xml    <goals>
                - goal_1 "Buy tea" (high, pending, 0%)         <goal id="goal_1">"Buy tea" (high, …</goal>
                                                               </goals>

Stored text is data. It is rendered as a JSON string on one line, in XML with entities for its markup, so that
it cannot be mistaken for a heading, an item or an instruction of this service, and closes no element. Every
piece ends with a line feed and begins with neither white space nor a slash. Tokenizers split at such places,
so the tokens of the whole text are the sum of the tokens of its pieces.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date, datetime
from itertools import groupby
from unicodedata import category
from xml.sax.saxutils import escape, quoteattr

from prefrontal.graph.clock import iso
from prefrontal.graph.context.record import CandidateKind, ContextFormat, Item, Source

_JSON = json.JSONEncoder(ensure_ascii=False).encode
_UNSEEN = frozenset({"Cf", "Co", "Cn", "Cs", "Zl", "Zp", "Cc"})

_NAMES = {
    CandidateKind.MANDATE: "Mandates",
    CandidateKind.CAPABILITY: "Capabilities",
    CandidateKind.GOAL: "Goals",
    CandidateKind.PENDING_ACTION: "Pending actions",
    CandidateKind.QUESTION: "Questions",
    CandidateKind.STORY: "Stories",
    CandidateKind.EPISODE: "Episodes",
    CandidateKind.FACT: "Facts",
    CandidateKind.SKILL: "Skills",
    CandidateKind.LESSON: "Lessons",
    CandidateKind.SUMMARY: "Earlier conversation",
    CandidateKind.MESSAGE: "Conversation",
    CandidateKind.FRAGMENT: "Working memory",
    CandidateKind.OBSERVATION: "Observations",
}


_LATE = {
    Source.STANDING: "mandates, capabilities, active goals and what is recent",
    Source.STEPS: "actions, questions and stories",
    Source.MEMORIES: "memories that fit the prompt",
    Source.CONTRADICTIONS: "what contradicts the observations",
    Source.SESSION: "what the session holds",
    Source.MEANING: "memories in other words than those of the prompt",
}


def opening(kind: CandidateKind, form: ContextFormat) -> str:
    """Return what stands before the items of a kind: a heading or a tag."""
    return f"<{_tag(kind)}>\n" if form is ContextFormat.XML else f"# {_NAMES[kind]}\n"


def closing(kind: CandidateKind, form: ContextFormat) -> str:
    """Return what stands after the items of a kind; nothing in Markdown."""
    return f"</{_tag(kind)}>\n" if form is ContextFormat.XML else ""


def _tag(kind: CandidateKind) -> str:
    return _NAMES[kind].lower().replace(" ", "_")


def formatted_line(line: str, uid: str, kind: CandidateKind, form: ContextFormat) -> str:
    """Return a line of Markdown as it is written in a format."""
    if form is ContextFormat.MARKDOWN:
        return line
    said = line[2:-1].removeprefix(f"{uid} ")
    return f"<{kind.value} id={quoteattr(uid)}>{escape(said)}</{kind.value}>\n"


def quoted(text: str) -> str:
    """Return stored text on one line: as a JSON string in which whatever is not seen is escaped.

    Not seen are control and format characters, e.g. those that turn the direction of writing or hide ASCII in
    tags, private and unassigned ones, and line and paragraph separators: Cc, Cf, Co, Cn, Zl and Zp.
    """
    plain = _JSON(text)
    if plain.isascii() and "\x7f" not in plain:
        return plain
    return "".join(_escaped(char) if category(char) in _UNSEEN else char for char in plain)


def _escaped(char: str) -> str:
    # JSON's own escapes leave the one ASCII character out that is not seen.
    return "\\u007f" if char == "\x7f" else json.dumps(char)[1:-1]


def memory_line(
    content: str,
    *,
    at: datetime | date | None = None,
    confidence: float | None = None,
    speaker: str | None = None,
    part: tuple[int, int] | None = None,
) -> str:
    """Return the line of a memory: when it was, how sure it is and who said it, as far as given.

    `part` says which of how many parts of a longer text the content is.
    """
    parts = [
        None if at is None else _when(at),
        None if confidence is None else f"({confidence:.2f})",
        None if speaker is None else f"{quoted(speaker)}:",
        None if part is None else f"(part {part[0]} of {part[1]})",
        quoted(content),
    ]
    return "- " + " ".join(part for part in parts if part is not None) + "\n"


def _when(at: datetime | date) -> str:
    return iso(at.replace(microsecond=0)) if isinstance(at, datetime) else at.isoformat()


def goal_line(uid: str, title: str, priority: str, status: str, progress: float, above: Sequence[str]) -> str:
    """Return the line of a goal. `above` has the titles of the goals above it, the parent first."""
    line = f"- {uid} {quoted(title)} ({priority}, {status}, {round(progress * 100)}%)"
    if above:
        line += " part of " + " < ".join(quoted(title) for title in above)
    return line + "\n"


def action_line(
    uid: str,
    title: str,
    *,
    what: Sequence[str],
    due_at: datetime | None,
    blocking: bool,
    goal: str | None,
) -> str:
    """Return the line of a pending action. `what` has its type, priority, owner and status."""
    said = [*what]
    if due_at is not None:
        said.append(f"due {iso(due_at.replace(microsecond=0))}")
    if blocking:
        said.append("blocking")
    return f"- {uid} {quoted(title)} ({', '.join(said)}){'' if goal is None else f' for {goal}'}\n"


def question_line(uid: str, text: str, priority: str, status: str, goal: str | None) -> str:
    return f"- {uid} {quoted(text)} ({priority}, {status}){'' if goal is None else f' about {goal}'}\n"


def story_line(uid: str, narrative: str, status: str, question: str) -> str:
    """Return the line of a story. `question` is the id of the question that it answers."""
    return f"- {uid} {quoted(narrative)} ({status}) answers {question}\n"


def contradicting(line: str, uid: str, against: Sequence[str]) -> str:
    """Return the line of an observation with its id, and the ids of those that contradict it."""
    return f"- {uid} {line[2:-1]} contradicts {', '.join(against)}\n"


def with_source(line: str, space: str, by: str) -> str:
    """Return a line that also says from which space it is, by name, and who wrote it."""
    return f"{line[:-1]} [space {quoted(space)}, by {by}]\n"


def incomplete(late: Sequence[Source], form: ContextFormat) -> str:
    """Return what a context says at its end of what was not ready in time; nothing if all was."""
    if not late:
        return ""
    said = f"Not ready in time, so it is missing here: {'; '.join(_LATE[each] for each in late)}."
    if form is ContextFormat.XML:
        return f"<incomplete>{said}</incomplete>\n"
    return f"# Incomplete\n- {said}\n"


def text_of(items: Sequence[Item], form: ContextFormat) -> str:
    """Return the context's text: the items in order, each kind between its opening and its closing."""
    pieces: list[str] = []
    for kind, of_kind in groupby(items, key=lambda item: item.kind):
        pieces += [opening(kind, form), *(item.text for item in of_kind), closing(kind, form)]
    return "".join(pieces)
