"""How a text about one turn becomes a general one (decision G-112).

one-off    ids, times, dates, addresses and long numbers are replaced by what they are: `an id`, `a time`
values     a value of a parameter of the turn's calls is replaced by the name of the parameter: with a call
           `weather_api(location="Paris")`, `Paris queries` is `location queries`
several    values of one parameter that are listed are one: `Paris, London and Tokyo` is `several locations`

A value is replaced if it stands in the text as it is written in the call, and looks like a name: it begins
with a capital letter or has a digit, and is no part of the name of a tool. So ordinary words stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from prefrontal.graph.config.lesson_tables import LessonsTable
from prefrontal.graph.lessons.record import Call
from prefrontal.graph.text.folding import fold, unique_folded
from prefrontal.graph.text.words import words_of

_DATE = r"\d{4}-\d{2}-\d{2}"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s?[ap]m\b)?(?:\s?(?:Z|UTC|[+-]\d{2}:?\d{2}))?"
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_ONE_OFF = (
    (re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s<>\"']*[^\s<>\"'.,;:!?)]", re.IGNORECASE), "an address"),
    (re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b"), "an address"),
    (re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE), "an id"),
    # A ULID, with or without the prefix of its kind.
    (re.compile(r"\b(?:[a-z]{2,5}_)?[0-7][0-9A-HJKMNP-TV-Z]{25}\b"), "an id"),
    (re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}\b", re.IGNORECASE), "an id"),
    (
        re.compile(r"\b(?:turn|request|req|session|trace|call|run)[_-](?=[\w-]*\d)[\w-]+\b", re.IGNORECASE),
        "an id",
    ),
    (re.compile(r"#\d+\b"), "an id"),
    (re.compile(rf"\b{_DATE}(?:[T ]{_CLOCK})?"), "a date"),
    (re.compile(rf"\b\d{{1,2}}(?:st|nd|rd|th)?\.? {_MONTH}(?: \d{{4}})?\b"), "a date"),
    (re.compile(rf"\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?\b"), "a date"),
    (re.compile(rf"\b{_CLOCK}"), "a time"),
    (re.compile(r"\b\d{5,}\b"), "a number"),
)
_PARTS = re.compile(r"[_\W]+|(?<=[a-z0-9])(?=[A-Z])")
_AND = r"(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|&)\s+)"
_SIBILANT = re.compile(r"(?:s|x|z|ch|sh)$")


def words_of_name(name: str) -> str:
    """Return the words of the name of a parameter or tool: `userLocation` is `user location`."""
    return " ".join(part.lower() for part in _PARTS.split(name) if part)


def plural(noun: str) -> str:
    """Return the plural of a noun, as English forms it usually."""
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if _SIBILANT.search(noun) else f"{noun}s"


def without_one_off(text: str) -> str:
    """Return a text in which ids, times, dates, addresses and long numbers are replaced by what they are."""
    for pattern, replacement in _ONE_OFF:
        text = pattern.sub(replacement, text)
    return text


def general(text: str, calls: Sequence[Call], table: LessonsTable, own: Iterable[str] = ()) -> str:
    """Return the general form of a text about a turn with some calls.

    Args:
        text: The text.
        calls: The calls of the turn.
        table: The table of lessons.
        own: Further texts that only the turn has, such as its ids.
    """
    for each in sorted({one for one in own if one}, key=lambda one: (-len(one), one)):
        text = re.sub(rf"(?<!\w){re.escape(each)}(?!\w)", "an id", text)
    for name, values in sorted(_values_by_parameter(calls, table).items()):
        text = _without_values(text, words_of_name(name), values)
    # After the values: what a parameter names is no mere number or date.
    text = " ".join(without_one_off(text).split())
    return shortened(text, table.longest)


def shortened(text: str, longest: int) -> str:
    """Return a text of at most `longest` characters, cut between words."""
    if len(text) <= longest:
        return text
    cut = text[: longest - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut else cut).rstrip(" ,;:") + "…"


def named_values(calls: Iterable[Call], table: LessonsTable) -> tuple[str, ...]:
    """Return the values of parameters that look like names, e.g. `Paris`: what a lesson is tagged with."""
    found = [
        value
        for call in calls
        for _, value in _texts_of(call.parameters)
        if _looks_like_a_name(value, table)
        and not any(character.isdigit() for character in value)
        and without_one_off(value) == value
    ]
    return unique_folded(found)[: table.value_tags]


def varying(calls: Sequence[Call]) -> tuple[str, ...]:
    """Return the names of the parameters that have different values in some calls, in alphabetical order."""
    names = {name for call in calls for name in call.parameters}
    return tuple(sorted(name for name in names if len({_value_repr(call, name) for call in calls}) > 1))


def purpose_names(names: Iterable[str], table: LessonsTable) -> tuple[str, ...]:
    """Return the names of parameters that say what a call is for, as words, in alphabetical order."""
    nameless = {words_of_name(each) for each in table.nameless}
    return tuple(
        sorted({words for name in names if (words := words_of_name(name)) and words not in nameless})
    )


def _value_repr(call: Call, name: str) -> str:
    return repr(call.parameters.get(name))


def _texts_of(parameters: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the names and the values of parameters that are texts or lists of texts."""
    for name, value in parameters.items():
        for each in value if isinstance(value, list | tuple) else (value,):
            if isinstance(each, str) and each.strip():
                yield name, each.strip()


def _looks_like_a_name(value: str, table: LessonsTable) -> bool:
    short = 1 < len(value) <= table.longest_value
    return short and (value[0].isupper() or any(character.isdigit() for character in value))


def _values_by_parameter(calls: Sequence[Call], table: LessonsTable) -> dict[str, list[str]]:
    of_tools = {word for call in calls for word in words_of(words_of_name(call.tool))}
    nameless = {words_of_name(each) for each in table.nameless}
    found: dict[str, dict[str, None]] = {}
    for call in calls:
        for name, value in _texts_of(call.parameters):
            if _looks_like_a_name(value, table) and not of_tools & {*words_of(fold(value))}:
                kind = "value" if words_of_name(name) in nameless else name
                found.setdefault(kind, {})[value] = None
    return {name: sorted(values, key=lambda one: (-len(one), one)) for name, values in found.items()}


def _without_values(text: str, kind: str, values: Sequence[str]) -> str:
    one = "|".join(re.escape(value) for value in values)
    listed = rf"(?<!\w)(?:{one})(?!\w)(?:{_AND}(?:{one})(?!\w))*"

    def replacement(match: re.Match[str]) -> str:
        return kind if match[0] in values else f"several {plural(kind)}"

    return re.sub(listed, replacement, text)
