"""What a mandate declares: prohibitions and required confirmations.

declared   a mandate with `forbids` or `requiresConfirmation` declares exactly these; its text is not read
prohibits  never X · do not X · no X · Y must not be X · X is not allowed · … is not allowed to X
confirms   ask before X · confirm with Y before X · before X, ask Y · get approval before X · only X after
           confirmation · X requires approval · never X without permission
words      of X without articles, pronouns and prepositions; each of its alternatives is a phrase: "delete or
           move files" is "delete files" and "move files", "send mail or letters" is "send mail" and "send
           letters"
nothing    is declared by a text of another form, and where a condition ("unless", "more than") decides

The forms are English; `registry/language/mandates.yaml` has their words. Each sentence is read by itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from prefrontal.graph.config.tables import MandatesTable
from prefrontal.graph.cortex.mandates.record import ViolationKind
from prefrontal.graph.memory.record import Mandate, StepCondition
from prefrontal.graph.text.words import stem, words_of

_SENTENCE = re.compile(r"[.!?;:\n]+(?:\s+|$)|\n+")
_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*|,")
_OR = ("or", "nor", ",")
_MOST_BETWEEN = 3
"""How many words may stand between asking and `before`."""

Words = tuple[str, ...]


class Phrase(NamedTuple):
    """Words that a step must all have: as written, and their stems."""

    words: Words
    stems: frozenset[str]


class Rule(NamedTuple):
    """A condition on steps: their action types, if any are named, and phrases of which one fits."""

    kind: ViolationKind
    phrases: tuple[Phrase, ...]
    action_types: frozenset[str] = frozenset()


def rules_of(mandate: Mandate, table: MandatesTable) -> tuple[Rule, ...]:
    """Return what a mandate declares."""
    if mandate.forbids is not None or mandate.requires_confirmation is not None:
        declared = (
            (ViolationKind.PROHIBITED, mandate.forbids),
            (ViolationKind.CONFIRMATION_REQUIRED, mandate.requires_confirmation),
        )
        return tuple(_structured(kind, given) for kind, given in declared if given is not None)
    return tuple(
        Rule(kind, phrases)
        for sentence in sentences_of(mandate.content)
        for kind, words in [_declared(tokens_of(sentence), table)]
        if kind is not None and (phrases := _alternatives(words, table))
    )


def sentences_of(text: str) -> list[str]:
    return [sentence for sentence in _SENTENCE.split(text) if sentence.strip()]


def tokens_of(text: str) -> Words:
    """Return the words and commas of a text, case-folded."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return tuple(_TOKEN.findall(plain))


def phrase_of(words: Iterable[str]) -> Phrase:
    kept = tuple(words)
    return Phrase(kept, frozenset(stem(word) for word in kept))


def _structured(kind: ViolationKind, given: StepCondition) -> Rule:
    phrases = tuple(phrase_of(words_of(phrase)) for phrase in given.phrases)
    return Rule(kind, phrases, frozenset(given.action_types))


def _declared(tokens: Words, table: MandatesTable) -> tuple[ViolationKind | None, Words]:
    """Return what a sentence declares, and the words of what it is declared of."""
    start = 0
    while start < len(tokens) and tokens[start] in (*table.openers, ","):
        start += 1
    said = tokens[start:]
    asked = _confirmed(said, table)
    if asked is not None:
        return ViolationKind.CONFIRMATION_REQUIRED, asked
    forbidden = _forbidden(said, table)
    return (None, ()) if forbidden is None else (ViolationKind.PROHIBITED, forbidden)


def _forbidden(said: Words, table: MandatesTable) -> Words | None:
    """Return what a sentence forbids, or None."""
    if length := _begins(said, table.beginning):
        rest = said[length:]
        allowed = next((n for n in range(len(rest)) if _begins(rest[n:], table.allowed)), None)
        if said[0] != "no" or allowed is None:
            return rest
        return (*rest[:allowed], *rest[allowed + _begins(rest[allowed:], table.allowed) :])
    for place in range(len(said)):
        if length := _begins(said[place:], table.ending):
            rest = said[place + length :]
            clear = not rest or rest[0] == "to"
            return (*said[:place], *rest[1:]) if clear else None
    for place in range(1, len(said)):
        if length := _begins(said[place:], table.between):
            return (*said[:place], *said[place + length :])
    return None


def _confirmed(said: Words, table: MandatesTable) -> Words | None:
    """Return what a sentence asks a confirmation for, or None."""
    if said[:1] == ("always",):
        said = said[1:]
    if said[:1] == ("before",):
        place = next((n for n, word in enumerate(said) if word in table.asking), 0)
        return said[1:place] if place and _asks(said[place:], table) else None
    if "before" in said and _asks(said[: said.index("before")], table):
        return said[said.index("before") + 1 :]
    granted = next((n for n, word in enumerate(said) if word in table.approvals), 0)
    if not granted:
        return None
    if (length := _begins(said, table.beginning)) and "without" in said[length:granted]:
        return said[length : said.index("without")]
    if "only" in said:
        first = said.index("only")
        last = next((n for n in range(first + 1, granted) if said[n] in table.afterwards), None)
        return None if last is None else (*said[:first], *said[first + 1 : last])
    place = next((n for n in range(1, granted) if said[n] in table.requiring), 0)
    near = place and granted - place <= _MOST_BETWEEN and not _begins(said, table.beginning)
    return said[:place] if near else None


def _asks(said: Words, table: MandatesTable) -> bool:
    """Tell whether words ask somebody for a confirmation, and for nothing else."""
    if not said or said[0] not in table.asking or len(said) - 1 > _MOST_BETWEEN:
        return False
    if any(word in table.approvals for word in said[1:]):
        return True
    if said[0] == "ask":
        return "for" not in said
    return said[0] == "confirm" and (len(said) == 1 or said[1] in ("with", "by"))


def _alternatives(words: Words, table: MandatesTable) -> tuple[Phrase, ...]:
    """Return the phrases of what is declared; none where a condition decides, or no word is left."""
    ends = [n for n, word in enumerate(words) if word in table.reasons]
    words = words[: ends[0]] if ends else words
    if any(word in table.conditions or word.endswith("n't") for word in words if word not in table.ignored):
        return ()
    parts: list[list[str]] = [[]]
    for word in words:
        if word in _OR:
            parts.append([])
        elif word not in table.ignored:
            parts[-1].append(word)
    parts = [part for part in parts if part]
    if not parts:
        return ()
    *others, last = parts
    if all(len(part) == 1 for part in others):
        return tuple(phrase_of([part[0], *last[1:]]) for part in parts)
    head = parts[0][0]
    return tuple(phrase_of(part if number == 0 else [head, *part]) for number, part in enumerate(parts))


def _begins(said: Words, phrases: Sequence[str]) -> int:
    """Return how many words of the first phrase stand at the beginning; 0 if none does."""
    for phrase in phrases:
        words = tuple(phrase.split())
        if said[: len(words)] == words:
            return len(words)
    return 0
