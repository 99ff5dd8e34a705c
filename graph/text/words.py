"""The words, stems and subject words of a text. Subject words say what the text is about.

words     runs of letters and digits of the text in NFKC form, case-folded
stem      an English word without its ending (Snowball), so that `wines` and `wine` have the same stem
subject   the stems of words with at least three characters, without numbers and stop words
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

import snowballstemmer

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
"""A run of letters and digits, with apostrophes inside."""
UNSPACED = re.compile(r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]+)")
"""Runs of Han and Kana characters: scripts without spaces between words."""
_SHORTEST = 3
_STEMMER = snowballstemmer.stemmer("english")


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text in order, case-folded. Repeated words are kept."""
    return tuple(WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def bare_words_of(text: str) -> list[str]:
    """Return the words of a text in order, case-folded, without the `'s` of an owner."""
    return [bare(word) for word in words_of(text)]


def bare(word: str) -> str:
    """Return a word, or several, without the `'s` of an owner at the end."""
    return word.removesuffix("'s").removesuffix("\u2019s")


def pieces_of(text: str) -> tuple[str, ...]:
    """Return the words of a text, and of scripts without spaces between words each pair of characters.

    `東京都` is `東京` and `京都`.
    """
    if text.isascii():
        return words_of(text)
    found: list[str] = []
    for word in words_of(text):
        if word.isascii() or not is_unspaced(word):
            found.append(word)
            continue
        for number, run in enumerate(UNSPACED.split(word)):
            if number % 2:
                found += pairs_of(run)
            elif run:
                found.append(run)
    return tuple(found)


def is_unspaced(word: str) -> bool:
    """Return whether a word has characters of a script without spaces between words."""
    return UNSPACED.search(word) is not None


def pairs_of(run: str) -> list[str]:
    """Return the pairs of characters of a run without spaces; a single character is itself."""
    return [run[place : place + 2] for place in range(max(1, len(run) - 1))]


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the English stem of a folded word.

    Words with characters outside ASCII are returned unchanged.
    """
    return str(_STEMMER.stemWord(word)) if word.isascii() else word


@lru_cache(maxsize=50)
def stems_of(text: str) -> frozenset[str]:
    """Return the stems of all words of a text. Used for the lists of stop words in the registry."""
    return frozenset(stem(word) for word in words_of(text))


def subject_words(text: str, stop_words: Iterable[str]) -> tuple[str, ...]:
    """Return the subject words of a text as stems, each once, in the order of the text.

    `stop_words` must be stems too.
    """
    stops = stop_words if isinstance(stop_words, frozenset) else frozenset(stop_words)
    stems = (stem(word) for word in words_of(text) if len(word) >= _SHORTEST and not word.isdigit())
    return tuple(dict.fromkeys(word for word in stems if word not in stops))
