"""The parts of a text that one of exists: the place of something, who has a role, and what is preferred.

place   a verb such as "is", "lives" or "works", and what follows its preposition
who     a role that only one has, and a name: our landlord is Mr Novak, Ines leads the project
order   what is preferred, and to what: tea to coffee
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from prefrontal.graph.config.tables import ContradictionTable
from prefrontal.graph.scratch.phrases import Role, Token
from prefrontal.graph.text.words import stem

_TIED = ("is married to", "married to", "is engaged to")
_CONTENT_ROLES = (Role.WORD, Role.SIDE)
_THAN = ("to", "over", "than", "rather than", "instead of")


@dataclass(frozen=True, slots=True)
class Location:
    """Where something is, lives, works, …: one place at a time."""

    about: frozenset[str]
    words: frozenset[str]
    names: frozenset[str]
    preposition: str | None
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
class Order:
    """What somebody prefers, and to what."""

    about: frozenset[str]
    first: frozenset[str]
    second: frozenset[str]


class Slots:
    """Reads places, roles and orders with the tables of the registry."""

    def __init__(self, table: ContradictionTable) -> None:
        words = table.reworded
        self._placing = frozenset(f"@{name}" for name in words.placing)
        self._wide = frozenset(stem(word) for word in words.wide)
        self._near = frozenset(words.near)
        self._titles = frozenset(words.titles)
        self._of_one = frozenset(f"@{name}" for name in words.of_one)
        self._shared = frozenset(stem(word) for word in words.shared_roles)
        self._single = frozenset(words.single)
        self._attributes = frozenset(words.attributes)
        self._naming = frozenset(words.naming)

    def location(self, tokens: Sequence[Token]) -> Location | None:
        """Return where a text says that something is, or None."""
        for at, token in enumerate(tokens):
            moved = token.role is Role.CHANGE
            placing = token.key in self._placing
            if not (moved or placing or token.role is Role.PLACED):
                continue
            rest = list(tokens[at + 1 :])
            while rest and rest[0].role is Role.LIGHT:
                rest.pop(0)
            preposition = None
            if rest and rest[0].role is Role.IN:
                preposition = rest[0].raw
            elif not (moved or placing):
                continue
            before = tokens[:at]
            if not _is_definite(before) and not placing and not moved:
                return None
            inside = [each for each in rest if each.role in (Role.WORD, Role.SIDE)]
            if not inside:
                return None
            about = {each.key for each in before if each.role is Role.WORD}
            about |= {f"{each.key}{each.side}" for each in before if each.role is Role.SIDE}
            about |= {f"~{each.key}" for each in tokens if each.role is Role.MARK}
            about |= {"@live"} if moved else {token.key} if placing else set()
            return Location(
                about=frozenset(about),
                words=frozenset(each.key for each in inside),
                names=frozenset(each.key for each in inside if each.named and not each.possessive),
                preposition=preposition,
                near=preposition in self._near,
                wide=self._is_wide(rest),
            )
        return None

    def _is_wide(self, tokens: Sequence[Token]) -> bool:
        """Tell whether other places may lie in a place: by the last word of its first phrase."""
        ends = next((at for at, token in enumerate(tokens) if at and token.role is Role.IN), len(tokens))
        heads = [token for token in tokens[:ends] if token.role in (Role.WORD, Role.SIDE)]
        return bool(heads) and (heads[-1].possessive or stem(heads[-1].key.strip("@")) in self._wide)

    def who(self, tokens: Sequence[Token]) -> Who | None:
        """Return who has which role that one has, or None."""
        halves = self._halves(tokens)
        for role, name in halves:
            keys = frozenset(token.key for token in role if token.role is Role.WORD)
            called = frozenset(
                stem(token.raw)
                for token in name
                if token.role in _CONTENT_ROLES and token.raw not in self._titles
            )
            named = self._is_name(name) or self._is_attribute(role, name)
            if keys and called and named and self._is_of_one(role, keys):
                return Who(keys - {"@name"}, called)
        return None

    def _halves(self, tokens: Sequence[Token]) -> list[tuple[Sequence[Token], Sequence[Token]]]:
        """Return what may be a role and a name."""
        naming = any(token.raw in self._naming for token in tokens)
        for at, token in enumerate(tokens):
            left, right = tokens[:at], tokens[at + 1 :]
            if token.raw in _TIED and left:
                return [([replace(left[0], possessive=True), *left[1:], token], right)]
            if token.raw in self._naming:
                by = next((n for n, each in enumerate(right) if each.raw == "by"), None)
                if by is not None and right[0].key in self._of_one:
                    return [([*left, *right[:by]], right[by + 1 :])]
                return [(left, right), (right, left)]
            if token.key in self._of_one and at and not naming:
                return [([token, *right], left), ([*left, token], right)]
        return []

    def _is_name(self, tokens: Sequence[Token]) -> bool:
        said = [token for token in tokens if token.role is not Role.LIGHT]
        named = [token for token in said if token.named and not token.possessive]
        return bool(named) and all(token in named or token.raw in self._titles for token in said)

    def _is_attribute(self, role: Sequence[Token], said: Sequence[Token]) -> bool:
        """Tell whether what is said is what there is one of: a favourite colour, a password."""
        kinds = {Role.WORD, Role.SIDE, Role.LIGHT}
        return any(token.raw in self._attributes for token in role) and all(
            token.role in kinds and not token.possessive for token in said
        )

    def _is_of_one(self, role: Sequence[Token], keys: frozenset[str]) -> bool:
        """Tell whether only one can have a role: the captain of the team, but not a friend of Ann."""
        words = [token for token in role if token.role is Role.WORD]
        owned = any(token.possessive for token in words)
        if any(token.role in (Role.A, Role.SIDE, Role.MARK) for token in role) or (owned and not words[1:]):
            return False
        if role[0].role is Role.IN or not (owned or any(token.role is Role.THE for token in role)):
            return False
        of = next((at for at, token in enumerate(role) if token.raw == "of"), None)
        heads = [token for token in (role if of is None else role[:of]) if token.role is Role.WORD]
        if not heads:
            return False
        plural = heads[-1].raw.endswith("s") and not heads[-1].raw.endswith(("ss", "'s"))
        plural = plural and not keys & self._of_one
        single = any(token.raw in self._single for token in role)
        return not plural and (single or heads[-1].key not in self._shared)

    def order(self, tokens: Sequence[Token]) -> Order | None:
        """Return what a text prefers to what, or None."""
        verb = next((at for at, token in enumerate(tokens) if token.key == "like" and token.side == 0), None)
        than = next((at for at, token in enumerate(tokens) if token.raw in _THAN), None)
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
        return Order(sides[0], sides[1], sides[2])


def _is_definite(tokens: Sequence[Token]) -> bool:
    return bool(tokens) and any(token.role is Role.THE or token.possessive or token.named for token in tokens)
