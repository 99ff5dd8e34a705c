"""User text as a Lucene query: words only, each quoted, so that no syntax of Lucene survives.

    words     runs of letters and digits, case folded, each once, the first 64
    query     +searchable_in:("space" OR …)^0 +content:("word" OR …)

The spaces are required inside the index and do not count for the score.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORD = re.compile(r"[^\W_]+")
_MOST_WORDS = 64


def words_of(text: str) -> list[str]:
    """Return the text's words, case folded, each once, in order, at most 64."""
    return list(dict.fromkeys(word.casefold() for word in _WORD.findall(text)))[:_MOST_WORDS]


def search_query(text: str, spaces: Iterable[str]) -> str:
    """Return a query for memories in the spaces that hold any word of the text; empty without words."""
    words = words_of(text)
    scopes = sorted(set(spaces))
    if not words or not scopes:
        return ""
    where = " OR ".join(f'"{scope}"' for scope in scopes)
    what = " OR ".join(f'"{word}"' for word in words)
    return f"+searchable_in:({where})^0 +content:({what})"
