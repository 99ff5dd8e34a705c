"""The statement of a short text: what it says of what, so that texts in different words can be compared.

    about     the keys of the words that say what the text is about; equal keys mean the same thing
    differs   what two texts about the same may differ in: values, a denial, opposites, a place, a name, or
              which of two things is preferred

A text states nothing that can be compared if it is long, a question or a guess, has more than one sentence
or clause, speaks of one of many things, or leaves open how far it is true.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from prefrontal.graph.config.tables import ContradictionTable
from prefrontal.graph.scratch.phrases import Phrases, Role, Token
from prefrontal.graph.scratch.quantities import Value
from prefrontal.graph.text.words import stem

_SENTENCE = re.compile(r"[.!;]\s+\S")
_PAST, _WAS = "~past", "~was"
_ING = "ed"
_COPULAS = frozenset({"is", "are", "am", "be"})


@dataclass(frozen=True, slots=True)
class Stated:
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
class Place:
    """Where something is, lives, works, …: one place at a time."""

    about: frozenset[str]
    words: frozenset[str]
    names: frozenset[str]
    near: bool
    """Whether it is only near the place."""
    wide: bool
    """Whether other places may lie in it."""


@dataclass(frozen=True, slots=True)
class Who:
    """The name of the one who has a role that only one has."""

    role: frozenset[str]
    name: frozenset[str]


@dataclass(frozen=True, slots=True)
class Statement:
    """What a text says, and of what."""

    about: frozenset[str]
    marked: bool
    """Whether it says when, or is about the past: another time may have another value."""
    values: tuple[Stated, ...]
    dated: bool
    """Whether a day of it says when something is, so that it cannot be on another day too."""
    denied: bool
    sides: dict[str, Side]
    traits: dict[str, Side]
    """The sides that say which thing is meant: the red box."""
    prefers: bool
    """Whether it says what is preferred: then a trait is what is said."""
    place: Place | None
    who: Who | None
    order: tuple[frozenset[str], frozenset[str]] | None
    """What is preferred, and to what."""

    @property
    def keys(self) -> frozenset[str]:
        """The keys of all its words: statements without a common one are about different things."""
        sides = frozenset((*self.sides, *self.traits))
        return self.about.union(*(self.order or ()), sides)


class Statements:
    """Reads the statements of texts with the tables of the registry."""

    def __init__(self, table: ContradictionTable) -> None:
        """Store the tables, with the lists of words as sets."""
        words = table.reworded
        self._phrases = Phrases(table)
        self._longest = words.longest
        self._narrowed = frozenset((*table.narrowed, *table.degrees))
        self._past = table.past
        self._once = frozenset((*table.once, *words.once))
        self._auxiliaries = frozenset(table.auxiliaries)
        self._dated = frozenset(f"@{name}" for name in words.dated) | {stem(word) for word in words.dated}
        self._verbs = frozenset(words.verbs)
        self._placing = frozenset(f"@{name}" for name in words.placing)
        self._wide = frozenset(stem(word) for word in words.wide)
        self._near = frozenset(words.near)
        self._titles = frozenset(words.titles)
        self._of_one = frozenset(f"@{name}" for name in words.of_one)
        self._shared = frozenset(stem(word) for word in words.shared_roles)
        self._single = frozenset(words.single)
        self._bounds = {word: "most" for word in words.most} | {word: "least" for word in words.least}
        self._naming = frozenset(words.naming)

    def read(self, text: str) -> Statement | None:
        """Return the statement of a text, or None if it states nothing that can be compared."""
        if len(text.split()) > self._longest or _SENTENCE.search(text):
            return None
        tokens = self._phrases.tokens(text)
        order = self._order(tokens)
        if not tokens or (order is None and self._is_open(tokens)):
            return None
        if order is not None:
            return order
        tokens, denials = self._without_denials(self._after_change(tokens))
        if denials > 1:
            return None
        return self._statement(tokens, denied=bool(denials))

    def _statement(self, tokens: Sequence[Token], *, denied: bool) -> Statement | None:
        prefers = any(token.raw in ("prefer", "prefers", "better", "best") for token in tokens)
        about: set[str] = set()
        values: list[Stated] = []
        sides: dict[str, Side] = {}
        traits: dict[str, Side] = {}
        for at, token in enumerate(tokens):
            follows = _at(tokens, at + 1)
            if token.role is Role.VALUE and token.value is not None:
                noun = follows.key if follows and _counts(token.value) and follows.role is Role.WORD else None
                value = token.value
                if value.unit == "year" and follows is not None and follows.raw == "old":
                    value, noun = Value(amount=value.amount, base=value.amount), "age"
                values.append(Stated(value, noun, self._bound(tokens, at)))
            elif token.role is Role.MARK:
                about.add(_WAS if token.raw in ("was", "were", "had") else f"~{token.key}")
            elif token.role is Role.SIDE:
                said = sides if token.key in self._verbs or not _is_before_noun(follows) else traits
                before = sides.get(token.key) or traits.get(token.key)
                if before is not None and before.number != token.side:
                    return None
                said[token.key] = Side(token.side, token.raw)
                about |= {_PAST} if self._is_past(tokens, at) else set()
            elif token.role is Role.WORD and not self._is_counted(tokens, at):
                about.add(token.key)
                if self._is_past(tokens, at):
                    about.add(_PAST)
        return Statement(
            about=frozenset(about),
            marked=any(key.startswith("~") for key in about),
            values=tuple(values),
            dated=self._is_dated(tokens),
            denied=denied,
            sides=sides,
            traits=traits,
            prefers=prefers,
            place=None if values or denied else self._place(tokens),
            who=None if values or denied or sides else self._who(tokens),
            order=None,
        )

    def _is_open(self, tokens: Sequence[Token]) -> bool:
        first = tokens[0]
        if first.role is Role.A or (first.raw in ("it", "this", "that", "he", "she", "they")):
            return not (first.raw == "it" and _at(tokens, 1) is not None and tokens[1].role is Role.LINK)
        return any(token.role is Role.OPEN or token.raw == "?" for token in tokens)

    def _after_change(self, tokens: Sequence[Token]) -> list[Token]:
        """Return the tokens without the values that held before a change: of the meeting on Tuesday."""
        places = [at for at, token in enumerate(tokens) if token.role is Role.CHANGE]
        if not places:
            return list(tokens)
        return [token for at, token in enumerate(tokens) if token.value is None or at > places[-1]]

    def _without_denials(self, tokens: Sequence[Token]) -> tuple[list[Token], int]:
        """Return the tokens in the positive, and the number of denials; 2 if it is not clear."""
        kept: list[Token] = []
        denials = 0
        if any(token.role is Role.DENY for token in tokens) and any(
            token.raw in self._narrowed for token in tokens
        ):
            return list(tokens), 2
        for at, token in enumerate(tokens):
            follows = _at(tokens, at + 1)
            if token.role is not Role.DENY:
                kept.append(token)
            elif follows is None or follows.value is not None:
                return kept, 2
            else:
                denials += 1
        until = [
            at for at, token in enumerate(kept[:-1]) if token.raw in ("until", "before") and kept[at + 1].value
        ]
        if denials and until:
            # "Not until June" is in June.
            return [token for at, token in enumerate(kept) if at not in until], denials - 1
        return kept, denials

    def _bound(self, tokens: Sequence[Token], at: int) -> str | None:
        before = [token.raw for token in tokens[max(0, at - 2) : at]]
        return next((self._bounds[raw] for raw in reversed(before) if raw in self._bounds), None)

    def _is_counted(self, tokens: Sequence[Token], at: int) -> bool:
        before = _at(tokens, at - 1)
        return before is not None and before.value is not None and _counts(before.value)

    def _is_past(self, tokens: Sequence[Token], at: int) -> bool:
        raw, before = tokens[at].raw, _at(tokens, at - 1)
        if raw in self._once or " " in raw or tokens[at].named:
            return False
        if not (raw in self._past or (len(raw) > len("owned") and raw.endswith(_ING))):
            return False
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

    def _place(self, tokens: Sequence[Token]) -> Place | None:
        for at, token in enumerate(tokens):
            moved = token.role is Role.CHANGE
            placing = token.key in self._placing
            if not (moved or placing or token.role is Role.PLACED):
                continue
            rest = list(tokens[at + 1 :])
            while rest and rest[0].role is Role.LIGHT:
                rest.pop(0)
            near = False
            if rest and rest[0].role is Role.IN:
                near = rest[0].raw in self._near
            elif not (moved or placing):
                continue
            before = tokens[:at]
            if not _is_definite(before) and not placing and not moved:
                return None
            inside = [each for each in rest if each.role in (Role.WORD, Role.SIDE)]
            if any(each.role in (Role.MARK, Role.OPEN) for each in rest) or not inside:
                return None
            about = {each.key for each in before if each.role is Role.WORD}
            about |= {f"~{each.key}" for each in before if each.role is Role.MARK}
            about |= {"@live"} if moved else {token.key} if placing else set()
            return Place(
                about=frozenset(about),
                words=frozenset(each.key for each in inside),
                names=frozenset(each.key for each in inside if each.named and not each.possessive),
                near=near,
                wide=any(each.possessive or stem(each.key.strip("@")) in self._wide for each in inside),
            )
        return None

    def _who(self, tokens: Sequence[Token]) -> Who | None:
        halves = self._halves(tokens)
        for role, name in halves:
            keys = frozenset(token.key for token in role if token.role is Role.WORD)
            called = frozenset(
                token.key for token in name if token.role is Role.WORD and token.raw not in self._titles
            )
            if keys and called and self._is_name(name) and self._is_of_one(role, keys):
                return Who(keys - {"@name"}, called)
        return None

    def _halves(self, tokens: Sequence[Token]) -> list[tuple[Sequence[Token], Sequence[Token]]]:
        """Return what may be a role and a name."""
        naming = any(token.raw in self._naming for token in tokens)
        for at, token in enumerate(tokens):
            left, right = tokens[:at], tokens[at + 1 :]
            if token.raw in self._naming:
                by = next((n for n, each in enumerate(right) if each.raw == "by"), None)
                if by is not None and right[0].key in self._of_one:
                    return [([*left, *right[:by]], right[by + 1 :])]
                return [(left, right), (right, left)]
            if token.key in self._of_one and at and not naming:
                return [([token, *right], left)]
        return []

    def _is_name(self, tokens: Sequence[Token]) -> bool:
        said = [token for token in tokens if token.role is not Role.LIGHT]
        named = [token for token in said if token.named and not token.possessive]
        return bool(named) and all(token in named or token.raw in self._titles for token in said)

    def _is_of_one(self, role: Sequence[Token], keys: frozenset[str]) -> bool:
        """Tell whether only one can have a role: the captain of the team, but not a friend of Ann."""
        words = [token for token in role if token.role is Role.WORD]
        owned = any(token.possessive for token in words)
        if any(token.role in (Role.A, Role.SIDE, Role.MARK) for token in role) or (owned and len(words) < 2):
            return False
        if not owned and not any(token.role is Role.THE for token in role):
            return False
        of = next((at for at, token in enumerate(role) if token.raw == "of"), None)
        heads = [token for token in (role if of is None else role[:of]) if token.role is Role.WORD]
        if not heads:
            return False
        plural = heads[-1].raw.endswith("s") and not heads[-1].raw.endswith(("ss", "'s"))
        plural = plural and not keys & self._of_one
        return not plural and (heads[-1].key not in self._shared or any(token.raw in self._single for token in role))

    def _order(self, tokens: Sequence[Token]) -> Statement | None:
        """Return the statement of a text that prefers one thing to another."""
        verb = next((at for at, token in enumerate(tokens) if token.key == "like" and token.side == 0), None)
        than = next((at for at, token in enumerate(tokens) if token.raw in ("to", "over", "than", "rather than", "instead of")), None)
        if verb is None or than is None or than <= verb + 1:
            return None
        if tokens[than].raw == "to" and not tokens[verb].raw.startswith("prefer"):
            return None
        sides = [
            frozenset(
                stem(token.raw) if token.role is Role.SIDE else token.key
                for token in part
                if token.role in (Role.WORD, Role.SIDE) or token.value is not None
            )
            for part in (tokens[:verb], tokens[verb + 1 : than], tokens[than + 1 :])
        ]
        if not all(sides) or any(token.role in (Role.DENY, Role.MARK) for token in tokens):
            return None
        return Statement(
            sides[0], False, (), dated=False, denied=False, sides={}, traits={}, prefers=True, place=None, who=None,
            order=(sides[1], sides[2]),
        )


def _at(tokens: Sequence[Token], at: int) -> Token | None:
    return tokens[at] if 0 <= at < len(tokens) else None


def _is_before_noun(follows: Token | None) -> bool:
    return follows is not None and follows.role in (Role.WORD, Role.SIDE)


def _counts(value: Value) -> bool:
    return not value.dates and value.dimension is None and not value.ordinal


def _is_definite(tokens: Sequence[Token]) -> bool:
    return bool(tokens) and any(
        token.role is Role.THE or token.possessive or token.named for token in tokens
    )
