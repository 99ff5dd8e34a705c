"""Full-text queries for the Lucene index, built from client text.

The query consists of quoted words only, so Lucene syntax in the client's text has no effect.

    words     the parts of the text between white space, quotes and backslashes that have a letter or digit,
              and the pieces of those parts between `_`, `.` and `:`; each once
    query     +searchable_in:("space" OR …)^0 +content:("word" OR …)^0 content:["part" TO "part"]^length …

The index analyses the words of the query in the same way as the stored text, so both agree in every script.
The pieces are needed because the index takes `deploy_prod` as one word. The condition on the spaces is part
of the query, so only memories in these spaces are found; the boost `^0` keeps the condition out of the score.

The index knows how frequent a word is in the texts of all organisations, and its scores tell that. So nothing
that it weighs counts: the words only find (`^0`), and a range from a part of a word to the same part scores
every text that has it alike, with the length of the part. The best of these hits are then ordered by
`prefrontal.graph.text.relevance`.

The index scores every memory that contains one of the words, so frequent words cost the most time and say the
least. The frequency of a word is too expensive to look up. The query therefore uses only the longest words,
which are usually the rarest; a search also leaves out the words configured as common. Scripts without spaces
between words (Han, Kana) are split into pairs of characters; otherwise a sentence would match only itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from prefrontal.graph.text.words import UNSPACED, is_unspaced, pairs_of, words_of

_BETWEEN = re.compile(r"[\s\"\\]+")
_JOINTS = re.compile(r"[_.:]+")
_LONGEST_WORD = 64
_MOST_PARTS = 4
"""The index refuses a query of more than 1,024 conditions."""


def longest_words(text: str, most: int) -> list[str]:
    """Return the `most` longest words of a text, longest first.

    Words are cut after 64 characters. Runs of Han and Kana characters are split into pairs of characters.
    """
    found: dict[str, None] = {}
    for word in _BETWEEN.split(text):
        for part in {word: None, **dict.fromkeys(_JOINTS.split(word))}:
            for number, run in enumerate(UNSPACED.split(part)):
                pieces = pairs_of(run) if number % 2 else [run[:_LONGEST_WORD]]
                found |= dict.fromkeys(
                    piece for piece in pieces if any(character.isalnum() for character in piece)
                )
    return sorted(found, key=len, reverse=True)[:most]


def ordering_query(text: str, spaces: Iterable[str], most: int) -> str:
    """Return the Lucene query that ranks memories in `spaces` by the text's `most` longest words.

    The query is empty when the text has no words.
    """
    return _query(longest_words(text, most), spaces)


def terms_query(terms: Mapping[str, float], spaces: Iterable[str]) -> str:
    """Return the Lucene query for memories in `spaces` with one of some terms; empty without any.

    A memory's score is the sum of the weights of the terms that it has, whatever others have.

    Args:
        terms: The terms as the index has them (`graph.text.terms`), each with its weight, above 0.
        spaces: The ids of the spaces.
    """
    scopes = sorted(set(spaces))
    if not scopes or not terms:
        return ""
    found = [f'terms:"{term}"' for term in terms]
    weights = "".join(f' terms:["{term}" TO "{term}"]^{weight:.2f}' for term, weight in terms.items())
    return f"+searchable_in:({_any(scopes)})^0 +({' OR '.join(found)})^0{weights}"


def _any(values: Iterable[str]) -> str:
    return " OR ".join(f'"{value}"' for value in values)


def _query(words: list[str], spaces: Iterable[str]) -> str:
    scopes = sorted(set(spaces))
    if not words or not scopes:
        return ""
    where = _any(scopes)
    what = _any(words)
    parts = dict.fromkeys(part for word in words for part in _parts(word))
    weights = "".join(f' content:["{part}" TO "{part}"]^{len(part)}' for part in parts)
    return f"+searchable_in:({where})^0 +content:({what})^0{weights}"


def _parts(word: str) -> Iterable[str]:
    """Return what the index may have made of a word: the word, and what stands between its signs."""
    return list(word) if is_unspaced(word) else (word, *words_of(word)[:_MOST_PARTS])
