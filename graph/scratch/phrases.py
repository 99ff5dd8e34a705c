"""The words, values and phrases of a text, as the claim of the text is read from them.

A phrase of the tables of `registry/language/contradiction.yaml` (`claims`) becomes one token. Besides the
values of `quantities`, times in words (half past ten, at nine), months alone and measures in words (half a
litre) are recognised here: they are too uncertain for the frame of a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from prefrontal.graph.config.tables import ContradictionTable
from prefrontal.graph.scratch.quantities import Part, Value, Values
from prefrontal.graph.scratch.text_frame import folded, spelled_out
from prefrontal.graph.text.words import stem

_REMEMBERED = 20_000
"""The maximum number of cached stems."""
_HOURS, _HALF_DAY, _HOUR, _QUARTER = 24, 12, 60, 15
_AFTER_CLOCK = frozenset(("o'clock", "on", "every", "in", "sharp", "and"))
_WHOLE = frozenset(("whole", "full"))


class Role(StrEnum):
    """What a phrase does in a text, if it is not one of its words."""

    DENY = "deny"
    ENDING = "ending"
    CHANGE = "change"
    MOVING = "moving"


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a value or a phrase of a text."""

    raw: str
    stem: str
    value: Value | None = None
    side: tuple[str, int] | None = None
    """The opposite that it names: the name of the line in the table and the number of the side."""
    weakest: bool = False
    """Whether it is the first of its side: what denies it denies the others too."""
    role: Role | None = None

    @property
    def is_word(self) -> bool:
        """Whether it is a word without a special meaning."""
        return self.value is None and self.side is None and self.role is None

    @property
    def possessive(self) -> bool:
        """Whether it ends like the name of an owner."""
        return self.raw.endswith(("'s", "s'"))


class Phrases:
    """Reads the tokens of texts with the tables of the registry."""

    def __init__(self, table: ContradictionTable) -> None:
        """Store the tables, with their phrases by the stems of the words."""
        self._table = table
        self._values = Values(table)
        self._stems: dict[str, str] = {}
        self._final = frozenset(table.claims.final)
        self._found: dict[tuple[str, ...], Token] = {}
        for name, lines in table.claims.opposites.items():
            for number, phrases in enumerate(lines):
                self._put(phrases[:1], Token(name, name, side=(name, number), weakest=True))
                self._put(phrases[1:], Token(name, name, side=(name, number)))
        self._put(table.claims.ending, Token("stop", "stop", role=Role.ENDING))
        self._put(table.claims.denying, Token("not", "not", role=Role.DENY))
        self._put(table.claims.changes, Token("moved", "move", role=Role.CHANGE))
        self._put(table.claims.moving, Token("moved", "move", role=Role.MOVING))
        for main, phrases in table.claims.same.items():
            self._put((main, *phrases), Token(main, self.stem(main)))
        self._longest = max(len(phrase) for phrase in self._found)

    def tokens(self, text: str) -> list[Token]:
        """Return the words, values and phrases of a text in order, the longest phrases first."""
        parts = self._spoken_values(self._values.parts(spelled_out(folded(text))))
        stems = ["" if isinstance(part, Value) else self.stem(part) for part in parts]
        found: list[Token] = []
        at = 0
        while at < len(parts):
            part = parts[at]
            token, used = self._phrase(parts, stems, at)
            if isinstance(part, Value):
                token = Token(part.literal, part.literal, value=part)
            found.append(token or Token(str(part), stems[at]))
            at += used
        return found

    def stem(self, word: str) -> str:
        """Return the stem of a word, or of the present form of an irregular verb."""
        known = self._stems.get(word)
        if known is None:
            plain = word.removesuffix("'s").removesuffix("'")
            known = stem(self._table.past.get(plain) or self._table.forms.get(plain) or plain)
            if len(self._stems) < _REMEMBERED:
                self._stems[word] = known
        return known

    def stems(self, words: Iterable[str]) -> frozenset[str]:
        """Return the stems of some words."""
        return frozenset(self.stem(word) for word in words)

    def _put(self, phrases: Iterable[str], token: Token) -> None:
        for phrase in phrases:
            self._found.setdefault(tuple(self.stem(word) for word in phrase.split()), token)

    def _phrase(self, parts: Sequence[Part], stems: Sequence[str], at: int) -> tuple[Token | None, int]:
        """Return the token of the longest phrase at a part, or None, and the number of parts used."""
        for length in range(min(self._longest, len(parts) - at), 0, -1):
            window = tuple(stems[at : at + length])
            phrase = self._found.get(window)
            if phrase is None or not self._fits(phrase, parts, at, length):
                continue
            if phrase.role is not None:
                return phrase, length
            # A single word and an opposite keep their own words, because they may be part of a name.
            raw = str(parts[at]) if length == 1 else phrase.raw
            return replace(phrase, raw=raw, stem="_".join(window) if phrase.side else phrase.stem), length
        return None, 1

    def _fits(self, phrase: Token, parts: Sequence[Part], at: int, length: int) -> bool:
        """Tell whether a phrase means what the table says where it stands."""
        follows = part_at(parts, at + length)
        if phrase.role is Role.ENDING:
            return isinstance(follows, str) and follows.endswith("ing")
        if phrase.role is Role.MOVING:
            return isinstance(follows, str)
        if phrase.raw == "must":
            # "Dislikes having to cook" says no more than "dislikes cooking".
            return parts[at] != "having"
        return phrase.side is None or phrase.side[0] not in self._final or follows is None

    def _spoken_values(self, parts: Sequence[Part]) -> list[Part]:
        found: list[Part] = []
        at = 0
        while at < len(parts):
            value, used = self._time(parts, at)
            if value is None:
                value, used = self._measure(parts, at)
            found.append(parts[at] if value is None else value)
            at += 1 if value is None else used
        return found

    def _time(self, parts: Sequence[Part], at: int) -> tuple[Value | None, int]:
        """Return the time in words or the month at a part, or None, and the number of parts used."""
        part, before, follows = parts[at], part_at(parts, at - 1), part_at(parts, at + 1)
        hour = _hour(part_at(parts, at + 2))
        if part in ("half", "quarter") and follows in ("past", "to") and hour is not None:
            minutes = 2 * _QUARTER if part == "half" else _QUARTER
            return _clock(hour, minutes if follows == "past" else -minutes), 3
        if part in ("noon", "midday", "midnight"):
            return _clock(_HOURS if part == "midnight" else _HALF_DAY, 0, halves=1), 1
        hour = _hour(part)
        ends = follows is None or isinstance(follows, Value) or follows in _AFTER_CLOCK
        if hour is not None and ends and (before == "at" or follows == "o'clock"):
            return _clock(hour, 0), 2 if follows == "o'clock" else 1
        if isinstance(part, str) and part in self._table.months and before in ("in", "every", "by"):
            return Value(dates=frozenset({f"--{self._table.months[part]:02}"})), 1
        return None, 1

    def _measure(self, parts: Sequence[Part], at: int) -> tuple[Value | None, int]:
        """Return the measure in words at a part, such as `an hour`, or None, and the number of parts used."""
        part, before, follows, then = parts[at], *(part_at(parts, at + n) for n in (-1, 1, 2))
        if part == "half" and follows in ("a", "an"):
            return self._amount("0.5", then), 3
        if part not in ("a", "an") or isinstance(before, Value) or before in ("once", "twice", "times"):
            return None, 1
        return (self._amount("1", then), 3) if follows in _WHOLE else (self._amount("1", follows), 2)

    def _amount(self, number: str, unit: Part | None) -> Value | None:
        if not isinstance(unit, str):
            return None
        value = self._values.parts(f"{number} {unit}")[-1]
        return value if isinstance(value, Value) and value.dimension is not None else None


def part_at(parts: Sequence[Part], at: int) -> Part | None:
    """Return the part at a position, or None beyond the ends."""
    return parts[at] if 0 <= at < len(parts) else None


def _hour(part: Part | None) -> int | None:
    if not isinstance(part, Value) or part.dates or part.unit is not None or part.ordinal or part.amount % 1:
        return None
    return int(part.amount) if 0 < part.amount <= _HOURS else None


def _clock(hour: int, minutes: int, *, halves: int = 2) -> Value:
    """Return the time of an hour and minutes; an hour that says no half of the day may be in both."""
    shifts = (0, _HALF_DAY)[:halves] if hour <= _HALF_DAY else (0,)
    times = [((hour + shift) * _HOUR + minutes) % (_HOURS * _HOUR) for shift in shifts]
    return Value(dates=frozenset(f"T{at // _HOUR:02}:{at % _HOUR:02}" for at in times))
