"""What a text is about: its subject words.

words     runs of letters and digits of the text in NFKC form, case folded; a digit alone is no word
stem      English words without their endings (Snowball), so that `wines` and `wine` are one
subject   the stems of at least three characters that are not among the stop words
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

import snowballstemmer

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SHORTEST = 3
_STEMMER = snowballstemmer.stemmer("english")


def words_of(text: str) -> tuple[str, ...]:
    """Return the text's words in order, folded, each as often as it stands there."""
    return tuple(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return a folded word without its English ending; words of other scripts come back as they are."""
    return str(_STEMMER.stemWord(word)) if word.isascii() else word


@lru_cache(maxsize=50)
def stems_of(text: str) -> frozenset[str]:
    """Return the stems of all words of a text, such as a table's list of stop words."""
    return frozenset(stem(word) for word in words_of(text))


def subject_words(text: str, stop_words: Iterable[str]) -> frozenset[str]:
    """Return the stems of what a text speaks of; `stop_words` are stems too."""
    stops = stop_words if isinstance(stop_words, frozenset) else frozenset(stop_words)
    stems = (stem(word) for word in words_of(text) if len(word) >= _SHORTEST and not word.isdigit())
    return frozenset(word for word in stems if word not in stops)
