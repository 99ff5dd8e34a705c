"""What a text says without its numbers, dates, units and negations: its frame.

    "The budget is $50"         the budget is <n>      [50 usd]
    "The budget isn't 50 EUR"   the budget is <n>      [50 eur], one negation

Two texts with one frame say the same of the same thing, but for those. So one index over frames finds
what may contradict a text, and what repeats it:

    folded  NFKC, case folded, white space collapsed, punctuation dropped that tells nothing apart
    equal   folded texts that are equal are one text; they have one frame, whatever the tables say
    frame   words in a plain form (likes, like), values of which two cannot both be so as `<n>` or `<d>`
    key     the first 32 hexadecimal digits of SHA-256 over the frame and the subject

Not every number is such a value. It stays in the frame where it tells which one is meant (room 12, a
5 km run), where both can be so (at least 3), and where it tells of one occasion (drank 2 coffees
yesterday). A long text is no single claim: it is its own frame.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from prefrontal.graph.config.tables import ContradictionTable
from prefrontal.graph.scratch.quantities import Part, Value, Values

_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "−": "-", "–": "-"})
_HALF_DAY = re.compile(r"\b([ap])\.\s?m\b\.?")
# What tells things apart stays: 3.5, 1,000, 10:30, -5, don't, 5%, #12, ?, and the colon of "budget: 50".
_PUNCTUATION = re.compile(
    r"(?<=\d)[.,:/\-](?=\d)|(?<![\w)])-(?=\d)|(?<=[^\W\d_])-(?=\d)|(?<=[^\W\d_])'(?=[^\W\d_])|km/h|:(?=\s*[$€£¥₹-]?\d)"
    r"|([!\"'()*,\-./:;@\[\\\]_{}‐-‧…«»“”„¿¡])"
)
_CONTRACTED = re.compile(r"\b(ca|wo|sha)n't\b|\bcannot\b|n't\b")
_FULL = {"can't": "can not", "won't": "will not", "shan't": "shall not", "cannot": "can not", "n't": " not"}
_PRONOUNS = re.compile(r"\b(it|that|he|she|there|what|who|here|this)'s\b")
_PHRASES = re.compile(r"\b(no longer|any longer|any more|at all|up to)\b")
_SHORT = {"no longer": "not", "any longer": "", "any more": "", "at all": "", "up to": "upto"}
_REMEMBERED = 20_000
"""Words in plain form that are kept: reading a text costs half then."""
_DONE, _DATED, _COUNTED = "+", "<d>", "<n>"


def folded(text: str) -> str:
    """Return a text without what makes no difference: width, case, white space, most punctuation."""
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_APOSTROPHES)
    plain = _HALF_DAY.sub(r"\1m", plain)
    plain = _PUNCTUATION.sub(lambda match: " " if match[1] else match[0], plain)
    return " ".join(plain.split())


def same_text(one: str, other: str) -> bool:
    """Tell whether two texts are one: equal when folded. They have the same frame, too."""
    return folded(one) == folded(other)


def key_of(frame: str, subject: str | None) -> str:
    """Return the key under which the texts of a frame about a subject are found."""
    return hashlib.sha256(f"{frame}\x1f{subject or ''}".encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Reading:
    """A text taken apart: its frame, the values that were taken out of it, and its negations."""

    frame: str
    values: tuple[Value, ...]
    negations: int
    claims: bool
    """It says that something is so; a question or a guess does not."""


class Framing:
    """Takes texts apart with the tables of the registry."""

    def __init__(self, table: ContradictionTable) -> None:
        """Make sets of the lists, to look into."""
        self._table = table
        self._values = Values(table)
        self._denying = frozenset(table.negations)
        self._narrowed = frozenset(table.narrowed)
        self._degrees = frozenset(table.degrees)
        self._fillers = frozenset(table.fillers)
        self._unsure = frozenset(table.unsure)
        self._bounds = frozenset(table.bounds)
        self._skipped = frozenset((*table.fillers, *table.approximations)) - frozenset(table.particular)
        self._particular = frozenset(table.particular)
        self._once = frozenset(table.once)
        self._states = frozenset(table.states) | self._once
        self._holds = self._states | frozenset(table.holds)
        self._occasions = frozenset(table.occasions)
        self._quiet = frozenset((*table.reporting, *table.once))
        self._auxiliaries = frozenset(table.auxiliaries)
        self._labels = frozenset(table.labels) | {"#"}
        self._seen: dict[str, str] = {}
        self._functions = frozenset((*table.functions, *table.negations))

    def frame_of(self, text: str) -> str:
        """Return the frame of a text."""
        return self.read(text).frame

    def read(self, text: str) -> Reading:
        """Return a text taken apart."""
        plain = folded(text)
        if len(plain) > self._table.longest:
            return Reading(plain, (), 0, claims=False)
        parts = self._values.parts(_spelled_out(plain))
        words = frozenset(part for part in parts if isinstance(part, str))
        claims = "?" not in words and words.isdisjoint(self._unsure)
        telling = claims and not self._is_occasion(parts, words)
        frame: list[str] = []
        values: list[Value] = []
        negations, did = 0, False
        for at, part in enumerate(parts):
            if isinstance(part, Value):
                said = telling and self._says(parts, at)
                frame.append((_DATED if part.dates else _COUNTED) if said else part.literal)
                values += [part] if said else []
            elif part in ("do", "does", "did") and _at(parts, at + 1) == "not":
                did = part == "did"
            elif self._denies(parts, at):
                negations += 1
            elif part not in self._fillers:
                negations += part in self._table.negated
                frame.append(self._plain(self._table.negated.get(part, part), past=did))
                did = False
        # "Not very much" leaves some.
        claims = claims and not (negations and words & self._degrees)
        return Reading(" ".join(frame), tuple(values), negations, claims=claims)

    def _denies(self, parts: Sequence[Part], at: int) -> bool:
        """Tell whether the part is a negation of all that follows: not of "only", and no "no 5"."""
        part, follows = parts[at], _at(parts, at + 1)
        if part not in self._denying or follows is None:
            return False
        return part != "no" if isinstance(follows, Value) else follows not in self._narrowed

    def _is_occasion(self, parts: Sequence[Part], words: frozenset[str]) -> bool:
        """Tell whether the text is about something that happened, and may happen again in another way."""
        if words & self._once:
            return False
        return bool(words & self._occasions) or any(self._is_past(parts, at) for at in range(len(parts)))

    def _is_past(self, parts: Sequence[Part], at: int) -> bool:
        part = parts[at]
        if not isinstance(part, str) or part in self._quiet or _at(parts, at - 1) in self._auxiliaries:
            return False
        return part in self._table.past or _without_ed(part) is not None

    def _says(self, parts: Sequence[Part], at: int) -> bool:
        """Tell whether the value is what the text says of its subject, so that another one contradicts it."""
        value, before = parts[at], self._before(parts, at)
        stated = any(part in self._states for part in parts[:at])
        if isinstance(value, Value) and (value.dates or value.ordinal):
            return stated
        if before in self._bounds or before in self._particular:
            return False
        if isinstance(before, str) and (before in self._labels or _singular(before) in self._labels):
            return stated
        if at and not stated and any(part in self._holds for part in parts[at:]):
            # In front of its verb a number tells which one is meant.
            return any(part in self._holds for part in parts[:at])
        if isinstance(value, Value) and value.dimension is not None:
            return True
        follows = _at(parts, at + 1)
        counts = isinstance(follows, str) and follows not in self._functions and at != 1
        return stated or counts or before in self._holds

    def _before(self, parts: Sequence[Part], at: int) -> Part | None:
        while at and parts[at - 1] in self._skipped:
            at -= 1
        return parts[at - 1] if at else None

    def _plain(self, word: str, *, past: bool) -> str:
        """Return a word in the form that all its forms share, and whether it is of the past."""
        plain = self._seen.get(word)
        if plain is None:
            plain = self._made_plain(word)
            if len(self._seen) < _REMEMBERED:
                self._seen[word] = plain
        return plain + _DONE if past and not plain.endswith(_DONE) else plain

    def _made_plain(self, word: str) -> str:
        if word in self._table.past:
            return _base(self._table.past[word]) + _DONE
        without = _without_ed(word)
        if without is not None:
            return _base(without) + _DONE
        return _base(self._table.forms.get(word) or _singular(word))


def _spelled_out(text: str) -> str:
    """Return a folded text with its contractions in full."""
    text = _PRONOUNS.sub(r"\1 is", text)
    text = _CONTRACTED.sub(lambda match: _FULL[match[0]], text)
    text = _PHRASES.sub(lambda match: _SHORT[match[0]], text)
    return text.replace("i'm ", "i am ").replace("'re ", " are ")


def _at(parts: Sequence[Part], at: int) -> Part | None:
    return parts[at] if 0 <= at < len(parts) else None


def _without_ed(word: str) -> str | None:
    if len(word) < len("owned") or not word.endswith("ed") or word.endswith("eed"):
        return None
    return word.removesuffix("ied") + "y" if word.endswith("ied") else word.removesuffix("ed")


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > len("ties"):
        return word.removesuffix("ies") + "y"
    if re.search(r"(ss|sh|ch|x|z|o)es$", word):
        return word.removesuffix("es")
    if word.endswith("s") and not word.endswith(("ss", "us", "is", "'s")) and len(word) > len("its"):
        return word.removesuffix("s")
    return word


def _base(word: str) -> str:
    """Return a verb without what its endings change: `like` and `lik`, `stop` and `stopp` are one."""
    short = word.removesuffix("e") if len(word) > len("see") else word
    return short[:-1] if len(short) > len("see") and short[-1] == short[-2] else short
