"""How well each of some texts matches the words of a search: BM25 over these texts alone.

    score of a text    sum over the words of  rarity * n * (K + 1) / (n + K * (1 - B + B * length / average))
    n                  how often the text has the word
    rarity of a word   ln(1 + (texts - texts with the word + 0.5) / (texts with the word + 0.5))
    length             the number of words in the text; average: that of all of these texts

The formula is that of Robertson and Zaragoza (2009). The texts are hits that the reader may read, and nothing
else counts. The full-text index has statistics of its own, over the texts of all organisations; a score from
them would tell a reader whether texts of others have a word.

A word matches without regard to case. Of a word with several parts (`foo-bar`) the rarest part counts, and a
piece of a script without spaces between words counts wherever it stands.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from prefrontal.graph.text.folding import fold
from prefrontal.graph.text.words import is_unspaced, words_of

_K = 1.2
_B = 0.75


def relevance(words: Sequence[str], texts: Sequence[str]) -> list[float]:
    """Return the score of each text for the words of a search, in their order; 0 without a match."""
    counted = [Counter(words_of(text)) for text in texts]
    lengths = [sum(count.values()) for count in counted]
    average = sum(lengths) / len(lengths) if any(lengths) else 1.0
    scores = [0.0] * len(texts)
    for word in dict.fromkeys(fold(word) for word in words):
        found = [_times(word, text, count) for text, count in zip(texts, counted, strict=True)]
        having = sum(number > 0 for number in found)
        rarity = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
        for place, number in enumerate(found):
            if number:
                room = _K * (1 - _B + _B * lengths[place] / average)
                scores[place] += rarity * number * (_K + 1) / (number + room)
    return scores


def _times(word: str, text: str, count: Counter[str]) -> int:
    if is_unspaced(word):
        return fold(text).count(word)
    return min((count[part] for part in words_of(word)), default=0)
