"""User text as a Lucene query: words only, each quoted, so that no syntax of Lucene survives.

    words     what stands between white space, quotes and backslashes and holds a letter or digit, and the
              parts of it between `_`, `.` and `:`; each once, the first 64
    query     +searchable_in:("space" OR …)^0 +content:("word" OR …)

A word is analysed like the stored text is, by the index itself, so that both agree in every script; the
parts are there because `deploy_prod` is one word to the index. The spaces are required inside the index
and do not count for the score.

To order what a filter found, few words do: the longest, which stand for the rarest. Scripts that write no
spaces between words (Han, Kana) are taken in pairs of characters then, or a sentence would match only itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_BETWEEN = re.compile(r"[\s\"\\]+")
_JOINTS = re.compile(r"[_.:]+")
_MOST_WORDS = 64
_LONGEST_WORD = 64
_UNSPACED = re.compile(r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]+)")


def words_of(text: str) -> list[str]:
    """Return the text's words and their parts in order, each once, at most 64."""
    found: dict[str, None] = {}
    for word in _BETWEEN.split(text):
        for part in (word, *_JOINTS.split(word)):
            if any(character.isalnum() for character in part):
                found[part] = None
        if len(found) >= _MOST_WORDS:
            break
    return list(found)[:_MOST_WORDS]


def search_query(text: str, spaces: Iterable[str]) -> str:
    """Return a query for memories in the spaces that hold any word of the text; empty without words."""
    return _query(words_of(text), spaces)


def longest_words(text: str, most: int) -> list[str]:
    """Return the `most` longest of all the words of a text, longest first, however long the text is.

    What is longer than 64 characters is cut there; runs of Han and Kana are pairs of characters.
    """
    found: dict[str, None] = {}
    for word in _BETWEEN.split(text):
        for part in {word: None, **dict.fromkeys(_JOINTS.split(word))}:
            for number, run in enumerate(_UNSPACED.split(part)):
                pairs = number % 2 and len(run) > 1
                pieces = [run[i : i + 2] for i in range(len(run) - 1)] if pairs else [run[:_LONGEST_WORD]]
                found |= dict.fromkeys(
                    piece for piece in pieces if any(character.isalnum() for character in piece)
                )
    return sorted(found, key=len, reverse=True)[:most]


def ordering_query(text: str, spaces: Iterable[str], most: int) -> str:
    """Return a query that scores by the `most` longest words of the text; empty without words."""
    return _query(longest_words(text, most), spaces)


def _query(words: list[str], spaces: Iterable[str]) -> str:
    scopes = sorted(set(spaces))
    if not words or not scopes:
        return ""
    where = " OR ".join(f'"{scope}"' for scope in scopes)
    what = " OR ".join(f'"{word}"' for word in words)
    return f"+searchable_in:({where})^0 +content:({what})"
