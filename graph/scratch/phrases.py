"""The words and phrases of a text with what they mean for a comparison, from the tables of the registry.

    phrase     the longest phrase of a table that begins at a word; words are compared by their stems
    key        what the phrase is compared by: the name of its group, else the stem of the word
    value      a number, a quantity, a date or a time, in figures or words

A number after a noun is a label and no value: room 12, ticket 4711.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from prefrontal.graph.config.tables import ContradictionTable
from prefrontal.graph.scratch.quantities import Part, Value
from prefrontal.graph.scratch.spoken import SpokenValues
from prefrontal.graph.scratch.text_frame import folded, spelled_out
from prefrontal.graph.text.words import stem

_NAME = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_FREE = re.compile(r"\b([^\W\d_]+)-free\b", re.IGNORECASE)
_UN = re.compile(r"un([a-z]{2,}(?:ed|able|ible))$")
_OWNED = "'s"
_ON_THE = (["on", "the"], ["by", "the"], ["until", "the"])


class Role(StrEnum):
    """What a phrase does in a text."""

    WORD = "word"
    """Says what the text is about."""
    LIGHT = "light"
    """Says nothing that matters for a comparison."""
    LINK = "link"
    """A verb that only links: is, has, takes place."""
    PLACED = "placed"
    """A verb that only links and may have a place after it: is, lies, is held."""
    IN = "in"
    """A preposition."""
    THE = "the"
    """A word before a noun that names one thing."""
    A = "a"
    """A word before a noun that names one of many."""
    SIDE = "side"
    """One side of a line of opposites."""
    DENY = "deny"
    CHANGE = "change"
    """A verb after which comes what holds from now on."""
    MARK = "mark"
    """Says when: it must be the same in both texts."""
    OPEN = "open"
    """Leaves open how far the text is true, or makes it more than one statement."""
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Token:
    """A phrase or value of a text."""

    raw: str
    key: str
    role: Role
    value: Value | None = None
    side: int = 0
    named: bool = False
    """Whether it is written as a name."""
    possessive: bool = False


_Meaning = tuple[Role, str, int]
_ASIDE = frozenset({Role.LIGHT, Role.MARK})


class Phrases:
    """Reads the tokens of texts with the tables of the registry."""

    def __init__(self, table: ContradictionTable) -> None:
        self._table = table
        self._values = SpokenValues(table)
        words = table.reworded
        self._labels = frozenset(stem(word) for word in table.labels) | {"#"}
        self._known: dict[tuple[str, ...], _Meaning] = {}
        self._sides: dict[tuple[str, ...], _Meaning] = {}
        self._exact: dict[str, _Meaning] = {}
        self._listed: set[str] = set()
        self._verbs = frozenset(words.verbs)
        self._measures = frozenset(words.measures)
        self._particular = frozenset(table.particular)
        self._final = frozenset(words.final)
        for role, phrases in (
            (Role.LIGHT, words.light),
            (Role.LINK, words.links),
            (Role.PLACED, words.placed),
            (Role.IN, words.prepositions),
            (Role.THE, words.definite),
            (Role.A, words.indefinite),
            (Role.LIGHT, (*words.most, *words.least)),
            (Role.MARK, words.marks),
            (Role.OPEN, (*table.unsure, *words.open)),
            (Role.DENY, (*table.negations, *words.denials)),
            (Role.CHANGE, words.changes),
        ):
            for phrase in phrases:
                self._add(phrase, role, phrase, 0)
        for group in words.synonyms:
            for phrase in group:
                self._add(phrase, Role.WORD, f"@{group[0]}", 0)
        for name, sides in words.opposites.items():
            for number, side in enumerate(sides):
                for phrase in side:
                    self._sides.setdefault(_stems(phrase.split()), (Role.SIDE, name, number))
                    self._listed.add(phrase)
        # By the first stem, the lengths of the phrases that begin with it, the longest first.
        lengths: dict[str, set[int]] = {}
        for stems in (*self._known, *self._sides):
            lengths.setdefault(stems[0], set()).add(len(stems))
        self._lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}

    def _add(self, phrase: str, role: Role, key: str, side: int) -> None:
        self._known.setdefault(_stems(phrase.split()), (role, key, side))
        self._exact.setdefault(phrase, (role, key, side))

    def tokens(self, text: str) -> tuple[Token, ...]:
        """Return the tokens of a text, in order."""
        names = self._names(text)
        plain = spelled_out(folded(_FREE.sub(r"without \1", text)))
        parts = self._values.parts(plain)
        tokens: list[Token] = []
        at = 0
        while at < len(parts):
            used = self._next(tokens, parts, at, names)
            at += used
        return tuple(tokens)

    def _next(self, tokens: list[Token], parts: Sequence[Part], at: int, names: frozenset[str]) -> int:
        """Add the token that begins at a part, and return the number of parts used."""
        part = parts[at]
        if isinstance(part, Value):
            stated = not self._is_label(tokens, parts, at)
            role = Role.VALUE if stated else Role.WORD
            tokens.append(Token(part.literal, part.literal, role, part if stated else None))
            return 1
        if part == "a" and part in names and at and parts[0] != "a":
            # "Server A" is a name.
            tokens.append(Token(part, part, Role.WORD, named=True))
            return 1
        for length in self._lengths.get(stem(part), ()):
            words = [piece for piece in parts[at : at + length] if isinstance(piece, str)]
            if len(words) < length or (length == 1 and part.endswith(_OWNED)):
                continue
            phrase = " ".join(words)
            stems = _stems(words)
            meaning = self._side(phrase, stems, tokens, parts[at + length : at + length + 1], names)
            meaning = meaning or self._exact.get(phrase) or self._known.get(stems)
            if meaning is not None:
                role, key, side = meaning
                tokens.append(Token(phrase, key, role, side=side, named=words[0] in names))
                return length
        bare = _UN.match(part)
        positive = self._table.negated.get(part) or (bare[1] if bare else None)
        if positive is not None:
            tokens.append(Token("not", "not", Role.DENY))
            return self._next(tokens, [positive], 0, names)
        owner = part.removesuffix(_OWNED)
        key = stem(self._table.forms.get(owner, owner))
        meaning = self._known.get((key,))
        if meaning is not None and meaning[0] is Role.WORD:
            key = meaning[1]
        possessive = part != owner or part.endswith("s'")
        tokens.append(Token(part, key, Role.WORD, named=owner in names, possessive=possessive))
        return 1

    def _side(
        self,
        phrase: str,
        stems: tuple[str, ...],
        tokens: Sequence[Token],
        follows: Sequence[Part],
        names: frozenset[str],
    ) -> _Meaning | None:
        """Return what words mean as one side of a line of opposites; None if they are used otherwise."""
        meaning = self._sides.get(stems)
        if meaning is None:
            return None
        # Only verbs are known in other forms: "lives" has nothing to do with "lively".
        alone = len(stems) == 1
        inflected = not alone or (meaning[1] in self._verbs and not phrase.endswith(("ed", "ing")))
        if phrase not in self._listed and (not inflected or phrase in self._exact):
            return None
        if tokens and alone:
            # "Mr Brown" is no colour, and "the safe" a thing.
            thing = not follows and tokens[-1].role is Role.THE
            if thing or phrase in names:
                return None
        if meaning[1] not in self._final:
            return meaning
        # "The light is on", but not "the book is on the table"; "it works", but not "she works at the bank".
        after = follows[0] if follows else None
        light = isinstance(after, str) and self._known.get((stem(after),), (Role.WORD,))[0] in _ASIDE
        return meaning if after is None or light else None

    def _is_label(self, tokens: Sequence[Token], parts: Sequence[Part], at: int) -> bool:
        """Tell whether a number says which thing is meant: room 12, a 5 km run, but not 12 rooms."""
        value = parts[at]
        if not isinstance(value, Value) or value.dates:
            return False
        follows = parts[at + 1] if at + 1 < len(parts) else None
        named = isinstance(follows, str) and (stem(follows),) not in self._known
        if value.dimension is not None:
            return named and follows not in self._measures
        before = tokens[-1] if tokens else None
        if value.ordinal and follows is None and [token.raw for token in tokens[-2:]] in _ON_THE:
            return False
        if before is not None and before.raw in self._particular:
            return True
        if before is None or before.role is not Role.WORD:
            return before is not None and before.raw in ("#", "no")
        is_label = before.raw in self._labels or stem(before.raw) in self._labels
        return is_label or not (named or before.key.startswith("@"))

    def _names(self, text: str) -> frozenset[str]:
        """Return the words that are written as names, folded and without `'s`."""
        found = [match.group() for match in _NAME.finditer(text)]
        names = {word.replace("’", "'") for word in found if word[0].isupper()}
        return frozenset(name.casefold().removesuffix(_OWNED) for name in names if name != "I")


def _stems(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(stem(word) for word in words)
