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
    sentence = tokens[start:]
    asked = _confirmed(sentence, table)
    if asked is not None:
        return ViolationKind.CONFIRMATION_REQUIRED, asked
    forbidden = _forbidden(sentence, table)
    return (None, ()) if forbidden is None else (ViolationKind.PROHIBITED, forbidden)


def _forbidden(sentence: Words, table: MandatesTable) -> Words | None:
    """Return what a sentence forbids, or None."""
    if length := _begins(sentence, table.beginning):
        rest = sentence[length:]
        allowed = next((n for n in range(len(rest)) if _begins(rest[n:], table.allowed)), None)
        if sentence[0] != "no" or allowed is None:
            return rest
        return (*rest[:allowed], *rest[allowed + _begins(rest[allowed:], table.allowed) :])
    for place in range(len(sentence)):
        if length := _begins(sentence[place:], table.ending):
            rest = sentence[place + length :]
            clear = not rest or rest[0] == "to"
            return (*sentence[:place], *rest[1:]) if clear else None
    for place in range(1, len(sentence)):
        if length := _begins(sentence[place:], table.between):
            return (*sentence[:place], *sentence[place + length :])
    return None


def _confirmed(sentence: Words, table: MandatesTable) -> Words | None:
    """Return what a sentence asks a confirmation for, or None."""
    if sentence[:1] == ("always",):
        sentence = sentence[1:]
    if sentence[:1] == ("before",):
        place = next((n for n, word in enumerate(sentence) if word in table.asking), 0)
        return sentence[1:place] if place and _asks(sentence[place:], table) else None
    if "before" in sentence and _asks(sentence[: sentence.index("before")], table):
        return sentence[sentence.index("before") + 1 :]
    granted = next((n for n, word in enumerate(sentence) if word in table.approvals), 0)
    if not granted:
        return None
    if (length := _begins(sentence, table.beginning)) and "without" in sentence[length:granted]:
        return sentence[length : sentence.index("without")]
    if "only" in sentence:
        first = sentence.index("only")
        last = next((n for n in range(first + 1, granted) if sentence[n] in table.afterwards), None)
        return None if last is None else (*sentence[:first], *sentence[first + 1 : last])
    place = next((n for n in range(1, granted) if sentence[n] in table.requiring), 0)
    near = place and granted - place <= _MOST_BETWEEN and not _begins(sentence, table.beginning)
    return sentence[:place] if near else None


def _asks(sentence: Words, table: MandatesTable) -> bool:
    """Tell whether words ask somebody for a confirmation, and for nothing else."""
    if not sentence or sentence[0] not in table.asking or len(sentence) - 1 > _MOST_BETWEEN:
        return False
    if any(word in table.approvals for word in sentence[1:]):
        return True
    if sentence[0] == "ask":
        return "for" not in sentence
    return sentence[0] == "confirm" and (len(sentence) == 1 or sentence[1] in ("with", "by"))


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


def _begins(sentence: Words, phrases: Sequence[str]) -> int:
    """Return how many words of the first phrase stand at the beginning; 0 if none does."""
    for phrase in phrases:
        words = tuple(phrase.split())
        if sentence[: len(words)] == words:
            return len(words)
    return 0
