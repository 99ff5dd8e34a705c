"""How rare a word is in its language, from the frequency tables of `wordfreq`.

    rarity    1 for a word that is rarer than one in a million, or that is in no table, such as a name or a
              code; falling with the logarithm of the frequency to 0.05 for the most frequent words

A word of Latin script is looked up in English, another one in the languages of its script, where it counts
as frequent as in the one that uses it most. It says nothing about what anybody stores, so it may weigh words
in an index that many organisations share.
"""

from __future__ import annotations

import math
from functools import lru_cache

from wordfreq import get_frequency_dict, zipf_frequency

from prefrontal.graph.text.learned_scripts import script_of

_COMMON, _RARE = 7.0, 3.0
"""Logarithms (base 10) of how often a word stands in a billion words: rarity 0 and rarity 1."""
_LEAST = 0.05
_BILLION = 1e9
_LANGUAGES = {
    "CYRILLIC": ("ru", "uk", "bg", "mk"),
    "GREEK": ("el",),
    "HEBREW": ("he",),
    "ARABIC": ("ar", "fa", "ur"),
    "DEVANAGARI": ("hi",),
    "BENGALI": ("bn",),
    "TAMIL": ("ta",),
    "HANGUL": ("ko",),
    "HIRAGANA": ("ja",),
    "KATAKANA": ("ja",),
    "CJK": ("zh", "ja"),
}


@lru_cache(maxsize=20_000)
def rarity(word: str) -> float:
    """Return the rarity of a folded word, above 0 and at most 1."""
    languages = () if word.isascii() else _LANGUAGES.get(script_of(word[0]), ())
    if languages:
        # What `wordfreq` asks for Chinese, Japanese and Korean, it needs for sentences alone.
        share = max(get_frequency_dict(language, "small").get(word, 0.0) for language in languages)
        frequency = math.log10(share * _BILLION) if share else 0.0
    else:
        # The small list has the words from one in a million on: it is read in 10 ms, the large one in 150 ms.
        frequency = zipf_frequency(word, "en", wordlist="small")
    return min(1.0, max(_LEAST, (_COMMON - frequency) / (_COMMON - _RARE)))
