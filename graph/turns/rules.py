"""What turns keep of a text beside its record, and what is left of it once the text is forgotten.

    StateExport     deleted if a text of it was forgotten, or if its turn made what was forgotten
    Turn.summary    likewise taken away
    PendingCommit   the entry that holds the text is left out; all others are still committed

A text is held by a value that says the same (letter case, width and white space do not matter), and by the
line of a summary that quotes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from prefrontal.graph.record import Record
from prefrontal.graph.text.folding import fold
from prefrontal.graph.turns.exporting import quoted

_BEGINNING = 200
"""How many characters of a text are looked for by the database; what it finds is compared whole."""
_PERSON = ("user_id", "speaker")
_WITH_OUTCOME = {"outcome", "feedback"}
"""What is stored together or not at all."""


class ForgottenContent(Record):
    """What was forgotten or erased."""

    uids: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    """The folded names of a person: what is about it goes, too."""

    @property
    def folded(self) -> frozenset[str]:
        """The texts without letter case, width and white space."""
        return frozenset(filter(None, map(fold, self.texts)))

    @property
    def words(self) -> list[str]:
        """How the texts begin, as JSON has them in lower case."""
        begun = {text[:_BEGINNING].lower() for text in self.texts if text.strip()}
        return sorted(map(_in_json, begun))

    @property
    def quotes(self) -> list[str]:
        """How summaries quote the texts, in lower case."""
        return sorted({quoted(text).lower() for text in self.texts if text.strip()})


def holds(value: Any, gone: ForgottenContent) -> bool:
    """Return whether a JSON value says what is gone, or names it."""
    return _holds(value, gone, gone.folded, frozenset(gone.uids))


def quotes(summary: str, gone: ForgottenContent) -> bool:
    """Return whether a line of a turn's summary quotes a text that is gone."""
    found = {fold(quoted(text)) for text in gone.texts if text.strip()}
    return any(_summary_texts(line) & found for line in summary.splitlines())


def export_holds(body: Any, gone: ForgottenContent) -> bool:
    """Return whether the JSON of a StateExport says what is gone, names it, or quotes it in its summary."""
    return holds(body, gone) or quotes(body["conversation_update"]["turn_summary"], gone)


def strip_gone(payload: Mapping[str, Any], gone: ForgottenContent) -> dict[str, Any]:
    """Return the payload of a part of a commit without the entries that hold what is gone."""
    command: dict[str, Any] = {}
    for name, value in payload["command"].items():
        if isinstance(value, list):
            command[name] = [each for each in value if not holds(each, gone)]
        elif name in {"turn_id", "space"} or not holds(value, gone):
            command[name] = value
    if {name for name in _WITH_OUTCOME if name in payload["command"]} != _WITH_OUTCOME & command.keys():
        command = {name: value for name, value in command.items() if name not in _WITH_OUTCOME}
    finding = payload["finding"] if "outcome" in command else None
    return {
        **payload,
        "command": command,
        "kept": [each for each in payload["kept"] if not holds(each, gone)],
        "finding": None if finding is not None and holds(finding, gone) else finding,
    }


def _holds(value: Any, gone: ForgottenContent, texts: frozenset[str], uids: frozenset[str]) -> bool:
    if isinstance(value, str):
        return value in uids or fold(value) in texts
    if isinstance(value, Mapping):
        if gone.names and _is_about(value, gone.names):
            return True
        return any(_holds(each, gone, texts, uids) for each in value.values())
    if isinstance(value, Sequence):
        return any(_holds(each, gone, texts, uids) for each in value)
    return False


def _is_about(value: Mapping[str, Any], names: frozenset[str]) -> bool:
    text = [value.get(name) for name in _PERSON]
    text += [each.get("name") for each in value.get("entities") or () if isinstance(each, Mapping)]
    return any(isinstance(each, str) and fold(each) in names for each in text)


def _summary_texts(line: str) -> set[str]:
    """Return what a line of a summary says, with and without how the turn ended."""
    text = line.partition(": ")[2]
    return {fold(text), fold(text.partition(", ")[2])} - {""}


def _in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]
