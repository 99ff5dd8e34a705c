"""The frame of a text: the text without its numbers, dates, units and negations.

    text                        frame                  values and negations
    -------------------------   --------------------   ---------------------------
    The budget is $50           the budget is <n>      50 usd
    The budget isn't 50 EUR     the budget is <n>      50 eur, one negation

Texts with the same frame make the same statement about the same thing, except for the values and negations.
One index over frames therefore finds the observations that may contradict a text, and those that repeat it.

    folded  the text in NFKC form, case-folded, with white space collapsed and without irrelevant punctuation
    equal   texts whose folded forms are equal; equal texts always have the same frame
    frame   the words in a base form (`likes` becomes `like`), with numbers replaced by `<n>`, dates by `<d>`
    key     the first 32 hexadecimal digits of SHA-256 over the frame and the subject

A number is replaced only if two different numbers in its place cannot both be true. Other numbers stay in the
frame: numbers that identify something (room 12, a 5 km run), bounds (at least 3), and numbers about one
occasion (drank 2 coffees yesterday). A long text makes more than one claim, so its frame is its whole folded
text.
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
# Punctuation that carries meaning stays: 3.5, 1,000, 10:30, -5, don't, 5%, #12, ?, the colon of "budget: 50".
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
"""The maximum number of cached base forms of words. The cache halves the time to read a text."""
_DONE, _DATED, _COUNTED = "+", "<d>", "<n>"


def folded(text: str) -> str:
    """Return the folded form of a text, without differences in width, case, white space and punctuation."""
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_APOSTROPHES)
    plain = _HALF_DAY.sub(r"\1m", plain)
    plain = _PUNCTUATION.sub(lambda match: " " if match[1] else match[0], plain)
    return " ".join(plain.split())


def same_text(one: str, other: str) -> bool:
    """Tell whether two texts are equal when folded. Equal texts have the same frame."""
    return folded(one) == folded(other)


def key_of(frame: str, subject: str | None) -> str:
    """Return the index key of the texts with a frame about a subject: 32 hexadecimal digits."""
    return hashlib.sha256(f"{frame}\x1f{subject or ''}".encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class TextAnalysis:
    """The analysis of a text: its frame, the values left out of the frame, and the number of negations."""

    frame: str
    values: tuple[Value, ...]
    negations: int
    claims: bool
    """Whether the text claims that something is true. A question or a guess makes no claim."""


class TextAnalyser:
    """Analyses texts with the tables of the registry."""

    def __init__(self, table: ContradictionTable) -> None:
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
        return self.read(text).frame

    def read(self, text: str) -> TextAnalysis:
        plain = folded(text)
        if len(plain) > self._table.longest:
            return TextAnalysis(plain, (), 0, claims=False)
        parts = self._values.parts(spelled_out(plain))
        words = frozenset(part for part in parts if isinstance(part, str))
        claims = "?" not in words and words.isdisjoint(self._unsure)
        telling = claims and not self._is_occasion(parts, words)
        frame: list[str] = []
        values: list[Value] = []
        negations, did = 0, False
        for at, part in enumerate(parts):
            if isinstance(part, Value):
                stated = telling and self._states_value(parts, at)
                frame.append((_DATED if part.dates else _COUNTED) if stated else part.literal)
                values += [part] if stated else []
            elif part in ("do", "does", "did") and _at(parts, at + 1) == "not":
                did = part == "did"
            elif self._denies(parts, at):
                negations += 1
            elif part not in self._fillers:
                negations += part in self._table.negated
                frame.append(self._base_form(self._table.negated.get(part, part), past=did))
                did = False
        # "Not very much" does not deny the whole statement.
        claims = claims and not (negations and words & self._degrees)
        return TextAnalysis(" ".join(frame), tuple(values), negations, claims=claims)

    def _denies(self, parts: Sequence[Part], at: int) -> bool:
        """Tell whether a part negates the rest of the text. In "not only" and "no 5" it does not."""
        part, follows = parts[at], _at(parts, at + 1)
        if part not in self._denying or follows is None:
            return False
        return part != "no" if isinstance(follows, Value) else follows not in self._narrowed

    def _is_occasion(self, parts: Sequence[Part], words: frozenset[str]) -> bool:
        """Tell whether the text is about an event that may happen again with other values."""
        if words & self._once:
            return False
        return bool(words & self._occasions) or any(self._is_past(parts, at) for at in range(len(parts)))

    def _is_past(self, parts: Sequence[Part], at: int) -> bool:
        part = parts[at]
        if not isinstance(part, str) or part in self._quiet or _at(parts, at - 1) in self._auxiliaries:
            return False
        return part in self._table.past or _without_ed(part) is not None

    def _states_value(self, parts: Sequence[Part], at: int) -> bool:
        """Tell whether the text states a value of its subject, so that another value contradicts the text."""
        value, before = parts[at], self._before(parts, at)
        stated = any(part in self._states for part in parts[:at])
        if isinstance(value, Value) and (value.dates or value.ordinal):
            return stated
        if before in self._bounds or before in self._particular:
            return False
        if isinstance(before, str) and (before in self._labels or _singular(before) in self._labels):
            return stated
        if at and not stated and any(part in self._holds for part in parts[at:]):
            # A number in front of the verb identifies the subject.
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

    def _base_form(self, word: str, *, past: bool) -> str:
        """Return the base form of a word, with a `+` at the end for the past tense."""
        plain = self._seen.get(word)
        if plain is None:
            plain = self._compute_base_form(word)
            if len(self._seen) < _REMEMBERED:
                self._seen[word] = plain
        return plain + _DONE if past and not plain.endswith(_DONE) else plain

    def _compute_base_form(self, word: str) -> str:
        if word in self._table.past:
            return _base(self._table.past[word]) + _DONE
        without = _without_ed(word)
        if without is not None:
            return _base(without) + _DONE
        return _base(self._table.forms.get(word) or _singular(word))


def spelled_out(text: str) -> str:
    """Return a folded text with its contractions and set phrases spelled out."""
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
    """Return a verb without final `e` or doubled letter: `like` equals `lik`, and `stopp` equals `stop`."""
    short = word.removesuffix("e") if len(word) > len("see") else word
    return short[:-1] if len(short) > len("see") and short[-1] == short[-2] else short
