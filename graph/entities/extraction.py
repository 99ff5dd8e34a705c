"""Which words of a text may be a name that its space knows (decision G-154).

    words       the words between white space, without punctuation around them and without `'s`
    candidates  each row of up to `longest` words of a sentence whose first and last word may be of a name
    may be      a word that begins with a capital or has a digit, not at the beginning of a sentence;
                else one that is at least as rare in English as `least_rarity`

The service invents no entity: a candidate counts only if a record of the space declared an entity with this
name. Of two names in the same place the longer one counts. The confidence is `spelled_alike` if both words
are of the first sort and the name is spelled as declared, else `otherwise`.

Names in scripts without spaces between words are not found.
"""

from __future__ import annotations

import calendar
import re
import unicodedata
from typing import NamedTuple

from prefrontal.graph.config.tables import ExtractionTable
from prefrontal.graph.text.dates import MONTHS
from prefrontal.graph.text.folding import fold
from prefrontal.graph.text.rarity import rarity
from prefrontal.graph.text.words import bare

_OUTSIDE = "\"'“”‘’„«»()[]{}<>.,;:!?…*_"
_ENDS = re.compile(r"[.!?:;…][\"'”’)\]]*$")
_DATES = frozenset({*MONTHS, *(name.lower() for name in calendar.day_name)})
_FREQUENT = 0.35
"""A word that is less rare names nobody: `I`, `God`, `Will`."""


class NameCandidate(NamedTuple):
    """Words that may be a name."""

    key: str
    """The words as the key of an entity (`graph.entities.rules`)."""
    text: str
    """The words as written."""
    first: int
    """The place of the first word in the text; the first word of all is 0."""
    last: int
    alike: float
    """The confidence if the known name is spelled in the same way, between 0 and 1."""
    otherwise: float


class _Word(NamedTuple):
    text: str
    sentence: int
    may_be: bool
    name_like: bool


def name_candidates(text: str, table: ExtractionTable) -> list[NameCandidate]:
    """Return what in a text may be a known name, in the order of the text, at most `most`."""
    words = _words(text, table.least_rarity)
    found: list[NameCandidate] = []
    for first, start in enumerate(words):
        if not start.may_be:
            continue
        for last in range(first, min(first + table.longest, len(words))):
            end = words[last]
            if end.sentence != start.sentence:
                break
            if not end.may_be:
                continue
            if len(found) == table.most:
                return found
            written = " ".join(word.text for word in words[first : last + 1])
            alike = table.spelled_alike if start.name_like and end.name_like else table.otherwise
            found.append(NameCandidate(fold(written), written, first, last, alike, table.otherwise))
    return found


def likely_names(text: str, least_rarity: float) -> frozenset[str]:
    """Return the words of a text, folded, that look like names of somebody or something, known or not.

    Those begin with a capital, and name no day of the week and no month. The first word of a sentence has a
    capital anyway, so it must be as rare as `least_rarity` besides.
    """
    return frozenset(
        folded
        for word in _words(text, least_rarity)
        for folded in [fold(word.text)]
        if word.text[0].isupper() and word.may_be and folded not in _DATES and rarity(folded) >= _FREQUENT
    )


def _words(text: str, least_rarity: float) -> list[_Word]:
    words: list[_Word] = []
    sentence, begins = 0, True
    for raw in unicodedata.normalize("NFKC", text).split():
        word = raw.strip(_OUTSIDE)
        word = bare(word)
        if word:
            name_like = _is_name_like(word) and not begins
            words.append(
                _Word(word, sentence, name_like or rarity(word.casefold()) >= least_rarity, name_like)
            )
            begins = False
        if _ENDS.search(raw):
            sentence, begins = sentence + 1, True
    return words


def _is_name_like(word: str) -> bool:
    return word[0].isupper() or any(character.isdigit() for character in word)
