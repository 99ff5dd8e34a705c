"""The themes of a text: what it is about, in a few words (source 002, §3.3; decision G-064).

    words    the text's words without stop words, numbers, words of fewer than three letters, and words that
             are less rare than `least_rarity`; words with the same stem are one theme, in its first spelling
    names    capitalised words in a row are one theme together: `Lake Garda`
    weight   the rarity of the rarest word · √(number of mentions)
    themes   the declared entities that stand in the text, in its order, then the heaviest names and words; of
             equal ones the earlier

What an entity or a name has within it is no theme of its own. Themes are folded, and each stands once.
The rarity is that of English (`graph/text/rarity.py`): it depends on no other text, so the same text always
has the same themes. The library `yake` does not fit: its licence is the LGPL or GPL, and in a single
sentence it puts names and what comes first before what the sentence is about.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Collection, Sequence

from prefrontal.graph.sessions.names import key
from prefrontal.graph.text.folding import fold
from prefrontal.graph.text.rarity import rarity
from prefrontal.graph.text.words import WORD, pieces_of, stem

_SHORTEST = 3


def themes_of(
    text: str,
    entities: Collection[str],
    most: int,
    *,
    stop_words: Collection[str] = (),
    least_rarity: float = 0.0,
) -> tuple[str, ...]:
    """Return the themes of a text, folded, the entities first.

    Args:
        text: The text.
        entities: The names of declared entities. Those that stand in the text are themes.
        most: How many themes it has at most.
        stop_words: Stems of words that are no theme.
        least_rarity: How rare a word has to be, between 0 and 1.
    """
    every = [key(word) for word in pieces_of(text)]
    places = {(_index_of(key(name), every), fold(name)) for name in entities}
    found: dict[str, str] = {}
    for _, name in sorted((at, name) for at, name in places if at is not None):
        found.setdefault(key(name), name)
    taken = {part for name in found for part in name.split()}
    names = [name for name in _names(text) if not set(key(name).split()) <= taken]
    inside = taken | {part for name in names for part in key(name).split()}
    words = [
        word
        for word in pieces_of(text)
        if (len(word) >= _SHORTEST or not word.isascii())
        and not word.isdigit()
        and stem(word) not in inside
        and stem(word) not in stop_words
        and _rarity(word) >= least_rarity
    ]
    weights: dict[str, float] = {}
    spelt: dict[str, str] = {}
    counted: dict[str, int] = {}
    for theme in (*names, *words):
        word = key(theme)
        spelt.setdefault(word, fold(theme))
        counted[word] = counted.get(word, 0) + 1
        weights[word] = max(map(_rarity, pieces_of(theme))) * math.sqrt(counted[word])
    place = {word: every.index(word.split()[0]) for word in spelt}
    ordered = sorted(spelt, key=lambda word: (-weights[word], place[word]))
    return tuple({**found, **{word: spelt[word] for word in ordered}}.values())[:most]


def _rarity(word: str) -> float:
    """Return how rare a word is; `paints` is no rarer than `paint`."""
    return min(rarity(word), rarity(stem(word)))


def _index_of(name: str, words: Sequence[str]) -> int | None:
    """Return where the words of a key stand in a row among others; None if they do not."""
    looked = name.split()
    starts = range(len(words) - len(looked) + 1) if looked else ()
    return next((at for at in starts if list(words[at : at + len(looked)]) == looked), None)


def _names(text: str) -> list[str]:
    """Return the runs of at least two capitalised words with only a space between them."""
    text = " ".join(unicodedata.normalize("NFKC", text).split())
    runs: list[list[re.Match[str]]] = []
    for word in WORD.finditer(text):
        # What is all capitals is shouted, or an abbreviation.
        if not word[0].istitle():
            continue
        if runs and text[runs[-1][-1].end() : word.start()] == " ":
            runs[-1].append(word)
        else:
            runs.append([word])
    return [" ".join(word[0] for word in run) for run in runs if len(run) > 1]
