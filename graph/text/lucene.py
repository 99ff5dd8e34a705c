"""User text as a Lucene query: words only, each quoted, so that no syntax of Lucene survives.

    words     what stands between white space, quotes and backslashes and holds a letter or digit, and the
              parts of it between `_`, `.` and `:`; each once
    query     +searchable_in:("space" OR …)^0 +content:("word" OR …)

A word is analysed like the stored text is, by the index itself, so that both agree in every script; the
parts are there because `deploy_prod` is one word to the index. The spaces are required inside the index
and do not count for the score.

The index scores every memory that holds one of the words, so a word that half of them hold costs the most
and tells the least. How often a word occurs cannot be asked for cheaply; so few words do: the longest, which
stand for the rarest, in a search without those that are named as common. Scripts that write no spaces
between words (Han, Kana) are taken in pairs of characters, or a sentence would match only itself.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

_BETWEEN = re.compile(r"[\s\"\\]+")
_JOINTS = re.compile(r"[_.:]+")
_LONGEST_WORD = 64
_UNSPACED = re.compile(r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]+)")


def telling_words(text: str, most: int, common: Collection[str]) -> list[str]:
    """Return the `most` longest words of a text that are not common ones; of all its words if all are."""
    words = longest_words(text, len(text))
    telling = [word for word in words if _core(word) not in common]
    return (telling or words)[:most]


def search_query(text: str, spaces: Iterable[str], most: int, common: Collection[str] = ()) -> str:
    """Return a query for memories in the spaces that hold a telling word of the text; empty without words."""
    return _query(telling_words(text, most, common), spaces)


def _core(word: str) -> str:
    """Return a word in small letters, without the marks around it."""
    return word.casefold().strip("".join(sign for sign in word if not sign.isalnum()))


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
