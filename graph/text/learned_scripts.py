"""Which scripts a model has learned, and whether it can tell what a text means.

A tokenizer has words and parts of words of the scripts that its model was trained on. Of others it has single
letters at most: a text is spelled letter by letter, or it is one unknown sign, and its vector says nothing.

    learned    the tokenizer has enough pieces with two letters or more, all of the script (`_PIECES`, or
               `_SHARE` of a small vocabulary)
    known      a text with letters of learned scripts or digits, in pieces that the tokenizer has, at least as
               many as it has other letters and symbols (emoji)
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_PIECES = 100
_SHARE = 0.01
_MARK = "\N{REPLACEMENT CHARACTER}"


def learned_scripts(tokenizer: Tokenizer) -> frozenset[str]:
    """Return the scripts that the model of a tokenizer has learned: `LATIN`."""
    pieces = tokenizer.decode_batch([[number] for number in range(tokenizer.get_vocab_size())])
    found: Counter[str] = Counter()
    for piece in pieces:
        letters = [] if _MARK in piece else [character for character in piece if character.isalpha()]
        if len(letters) > 1:
            scripts = {script_of(letter) for letter in letters}
            if len(scripts) == 1:
                found.update(scripts)
    least = min(_PIECES, _SHARE * len(pieces))
    return frozenset(script for script, number in found.items() if number >= least)


def knows(text: str, learned: Collection[str], lacks: Iterable[tuple[int, int]] = ()) -> bool:
    """Return whether a model that has learned some scripts can tell what a text means.

    `lacks` are the places of the text of which the tokenizer has no piece.
    """
    missing = {place for start, end in lacks for place in range(start, end)}
    known = other = 0
    for place, character in enumerate(text):
        is_letter = character.isalpha()
        is_learned = character.isdecimal() or (is_letter and script_of(character) in learned)
        if is_learned and place not in missing:
            known += 1
        elif is_letter or unicodedata.category(character) == "So":
            other += 1
    return known > 0 and known >= other


@lru_cache(maxsize=20_000)
def script_of(letter: str) -> str:
    """Return the script of a letter: `LATIN`."""
    return unicodedata.name(unicodedata.normalize("NFKC", letter)[0], "").partition(" ")[0]
