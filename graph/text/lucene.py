"""User text as a Lucene query: words only, each quoted, so that no syntax of Lucene survives.

    words     what stands between white space, quotes and backslashes and holds a letter or digit, and the
              parts of it between `_`, `.` and `:`; each once, the first 64
    query     +searchable_in:("space" OR …)^0 +content:("word" OR …)

A word is analysed like the stored text is, by the index itself, so that both agree in every script; the
parts are there because `deploy_prod` is one word to the index. The spaces are required inside the index
and do not count for the score.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_BETWEEN = re.compile(r"[\s\"\\]+")
_JOINTS = re.compile(r"[_.:]+")
_MOST_WORDS = 64


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
    words = words_of(text)
    scopes = sorted(set(spaces))
    if not words or not scopes:
        return ""
    where = " OR ".join(f'"{scope}"' for scope in scopes)
    what = " OR ".join(f'"{word}"' for word in words)
    return f"+searchable_in:({where})^0 +content:({what})"
