"""The statement of a short text: what it says of what, so that texts in different words can be compared.

    about     the keys of the words that say what the text is about; equal keys mean the same thing
    differs   what two texts about the same may differ in: values, a denial, opposites, a place, a name, or
              which of two things is preferred

A text states nothing that can be compared if it is long, a question or a guess, has more than one sentence
or clause, speaks of one of many things, or leaves open how far it is true.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from prefrontal.graph.config.tables import ContradictionTable
from prefrontal.graph.scratch.phrases import Phrases, Role, Token
from prefrontal.graph.scratch.quantities import Value
from prefrontal.graph.scratch.slots import Location, Order, Slots, Who
from prefrontal.graph.text.words import stem

_SENTENCE = re.compile(r"[.!;]\s+\S")
_PAST, _WAS = "~past", "~was"
_ING = "ed"
_PREFERRING = frozenset({"prefer", "prefers", "wants", "want", "better", "best"})
_COPULAS = frozenset({"is", "are", "am", "be"})


@dataclass(frozen=True, slots=True)
class StatedValue:
    """A value that a text states."""

    value: Value
    noun: str | None = None
    """What is counted."""
    bound: str | None = None
    """`most` or `least` if the value is a bound."""

    @property
    def kind(self) -> str:
        """What other values it can be compared with."""
        if not self.value.dates:
            return "amount"
        return "clock" if all(date.startswith("T") for date in self.value.dates) else "day"


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a line of opposites."""

    number: int
    raw: str


@dataclass(frozen=True, slots=True)
class Statement:
    """What a text says, and of what."""

    about: frozenset[str]
    aside: frozenset[str] = frozenset()
    """Those of them that only say why or for how long: closed for the winter."""
    marked: bool = False
    """Whether it says when, or is about the past: another time may have another value."""
    values: tuple[StatedValue, ...] = ()
    dated: bool = False
    """Whether a day of it says when something is, so that it cannot be on another day too."""
    denied: bool = False
    sides: Mapping[str, Side] = field(default_factory=dict)
    traits: Mapping[str, Side] = field(default_factory=dict)
    """The sides that say which thing is meant: the red box."""
    prefers: bool = False
    """Whether it says what is preferred: then a trait is what is said."""
    location: Location | None = None
    who: Who | None = None
    order: Order | None = None

    @property
    def keys(self) -> frozenset[str]:
        """The keys of all its words: statements without a common one are about different things."""
        sides = frozenset((*self.sides, *self.traits))
        order = (self.order.first, self.order.second) if self.order is not None else ()
        return self.about.union(*order, sides)


class Statements:
    """Reads the statements of texts with the tables of the registry."""

    def __init__(self, table: ContradictionTable) -> None:
        words = table.reworded
        self._table = table
        self._slots = Slots(table)
        self._longest = words.longest
        self._narrowed = frozenset((*table.narrowed, *table.degrees))
        self._past = table.past
        self._once = frozenset((*table.once, *words.once))
        self._auxiliaries = frozenset(table.auxiliaries) - frozenset(words.definite)
        self._dated = frozenset(f"@{name}" for name in words.dated) | {stem(word) for word in words.dated}
        self._verbs = frozenset(words.verbs)
        self._measures = {
            word: frozenset({f"@{name}"} if name else ()) for word, name in words.measures.items()
        }
        self._bounds = dict.fromkeys(words.most, "most") | dict.fromkeys(words.least, "least")

    @cached_property
    def _phrases(self) -> Phrases:
        # A thousand phrases are split: whoever compares nothing does not wait for them.
        return Phrases(self._table)

    def read(self, text: str) -> Statement | None:
        """Return the statement of a text, or None if it states nothing that can be compared."""
        if len(text.split()) > self._longest or _SENTENCE.search(text):
            return None
        tokens = self._phrases.tokens(text)
        order = self._slots.order(tokens)
        if order is not None:
            return Statement(about=order.about, order=order)
        if not tokens or self._is_open(tokens):
            return None
        positive, denials = self._without_denials(self._after_change(tokens))
        return self._statement(positive, denied=bool(denials)) if denials <= 1 else None

    def _statement(self, tokens: Sequence[Token], *, denied: bool) -> Statement | None:
        prefers = any(token.raw in _PREFERRING for token in tokens)
        about: set[str] = set()
        aside: set[str] = set()
        values: list[StatedValue] = []
        sides: dict[str, Side] = {}
        traits: dict[str, Side] = {}
        for at, token in enumerate(tokens):
            follows = _at(tokens, at + 1)
            if token.role is Role.VALUE and token.value is not None:
                noun = follows.key if follows and _counts(token.value) and follows.role is Role.WORD else None
                value = token.value
                if value.unit == "year" and follows is not None and follows.raw == "old":
                    value, noun = Value(amount=value.amount, base=value.amount), "age"
                values.append(StatedValue(value, noun, self._bound(tokens, at)))
            elif token.role is Role.MARK:
                about.add(_WAS if token.raw in ("was", "were", "had") else f"~{token.key}")
            elif self._is_measured(tokens, at):
                about |= self._measures[token.raw]
            elif token.role is Role.SIDE:
                said = sides if token.key in self._verbs or not _is_before_noun(follows) else traits
                before = sides.get(token.key) or traits.get(token.key)
                if before is not None and before.number != token.side:
                    return None
                said[token.key] = Side(token.side, token.raw)
                about |= {_PAST} if self._is_past(tokens, at) else set()
            elif token.role is Role.WORD and not self._is_counted(tokens, at):
                (aside if _is_reason(tokens, at) else about).add(token.key)
                if self._is_past(tokens, at):
                    about.add(_PAST)
        return Statement(
            about=frozenset(about | aside),
            # What nothing else is said of is no aside.
            aside=frozenset(aside - about if about else ()),
            marked=any(key.startswith("~") for key in about),
            values=tuple(values),
            dated=self._is_dated(tokens),
            denied=denied,
            sides=sides,
            traits=traits,
            prefers=prefers,
            location=None if values or denied else self._slots.location(tokens),
            who=None if values or denied else self._slots.who(tokens),
        )

    def _is_open(self, tokens: Sequence[Token]) -> bool:
        first = tokens[0]
        if first.role is Role.A or (first.raw in ("it", "this", "that", "he", "she", "they")):
            return not (first.raw == "it" and _at(tokens, 1) is not None and tokens[1].role is Role.LINK)
        return any(token.role is Role.OPEN or token.raw == "?" for token in tokens)

    def _after_change(self, tokens: Sequence[Token]) -> list[Token]:
        """Return the tokens without the values that held before a change: of the meeting on Tuesday."""
        last = max((at for at, token in enumerate(tokens) if token.role is Role.CHANGE), default=None)
        if last is None:
            return list(tokens)
        begins = last
        # Of "has been moved to" and "was moved to", only the change counts.
        while begins and tokens[begins - 1].raw in self._auxiliaries | {"was", "were"}:
            begins -= 1
        return [token for token in tokens[:begins] if token.value is None] + list(tokens[last:])

    def _without_denials(self, tokens: Sequence[Token]) -> tuple[list[Token], int]:
        """Return the tokens in the positive, and the number of denials; 2 if it is not clear."""
        kept: list[Token] = []
        denials = 0
        first = next((at for at, token in enumerate(tokens) if token.role is Role.DENY), len(tokens))
        if any(token.raw in self._narrowed for token in tokens[first:]):
            return list(tokens), 2
        for at, token in enumerate(tokens):
            follows = _at(tokens, at + 1)
            if token.role is not Role.DENY:
                kept.append(token)
            elif follows is None or follows.value is not None:
                return kept, 2
            else:
                denials += 1
        until = next((at for at, token in enumerate(kept[:-1]) if token.raw in ("until", "before")), None)
        if denials and until is not None and kept[until + 1].value is not None:
            # "Not until June" is in June.
            return [*kept[:until], *kept[until + 1 :]], denials - 1
        return kept, denials

    def _bound(self, tokens: Sequence[Token], at: int) -> str | None:
        before = [token.raw for token in tokens[max(0, at - 2) : at]]
        return next((self._bounds[raw] for raw in reversed(before) if raw in self._bounds), None)

    def _is_counted(self, tokens: Sequence[Token], at: int) -> bool:
        before = _at(tokens, at - 1)
        return before is not None and before.value is not None and _counts(before.value)

    def _is_measured(self, tokens: Sequence[Token], at: int) -> bool:
        """Tell whether a word only says what a value measures: seven years old, 25 m long."""
        before = tokens[max(0, at - 2) : at] if self._is_counted(tokens, at - 1) else tokens[at - 1 : at]
        return tokens[at].raw in self._measures and any(token.value is not None for token in before)

    def _is_past(self, tokens: Sequence[Token], at: int) -> bool:
        raw = tokens[at].raw
        if raw in self._once or " " in raw or tokens[at].named:
            return False
        if not (raw in self._past or (len(raw) > len("owned") and raw.endswith(_ING))):
            return False
        back = at - 1
        while back and tokens[back].role is Role.LIGHT:
            back -= 1
        before = _at(tokens, back)
        linked = (Role.LINK, Role.PLACED, Role.THE, Role.A, Role.CHANGE, Role.MARK)
        return before is not None and before.role not in linked and before.raw not in self._auxiliaries

    def _is_dated(self, tokens: Sequence[Token]) -> bool:
        if any(token.role is Role.A or token.raw in ("has", "have") for token in tokens):
            # Who has a meeting at nine may have another one at ten.
            return False
        for at, token in enumerate(tokens):
            if token.key in self._dated or stem(token.raw) in self._dated or token.role is Role.CHANGE:
                return True
            if token.raw not in _COPULAS and not (token.role is Role.PLACED and " " in token.raw):
                continue
            rest = [each for each in tokens[at + 1 :] if each.role not in (Role.LIGHT, Role.IN, Role.THE)]
            if rest and rest[0].role is Role.WORD and rest[0].raw.endswith((_ING, "en")):
                rest = rest[1:]
            if rest and rest[0].value is not None:
                return True
        return False


def _at(tokens: Sequence[Token], at: int) -> Token | None:
    return tokens[at] if 0 <= at < len(tokens) else None


def _is_reason(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a word comes after an opposite and "for"."""
    begins = next((n for n, each in enumerate(tokens[:at]) if each.raw in ("for", "for the")), 0)
    return begins > 0 and tokens[begins - 1].role is Role.SIDE and tokens[begins - 1].key != "like"


def _is_before_noun(follows: Token | None) -> bool:
    return follows is not None and follows.role in (Role.WORD, Role.SIDE)


def _counts(value: Value) -> bool:
    return not value.dates and value.dimension is None and not value.ordinal
