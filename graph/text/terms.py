"""The terms of a text: what the full-text index finds it by, and what a question is compared with.

    word      of Latin script, and numbers: its stem (`graph.text.words`)
    gram      of a word of any other script: each pair of its characters if the script writes no spaces or a
              syllable with one character (Han, Kana, Thai, Hangul, Ethiopic, …), otherwise each triple; and
              each Han character
    symbol    an emoji or another sign that stands for something
    coded     an identifier or amount in a form that all its spellings share (`graph.text.identifiers`)
    date      in words: `8 may 2023`

An encoder may know nothing of a script, and there are stemmers for few languages. Grams find the forms and
the compounds of a word in any of them.

In the index a gram or symbol is written in the hexadecimal numbers of its characters: its analyzer would
take such signs apart. Stop words stay among the terms, because a question of nothing else has to find
something. Those of a question are weighted by their rarity in their language (`graph.text.rarity`); all grams
of a word weigh as much as one word.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from itertools import groupby

from prefrontal.graph.text.dates import MONTHS
from prefrontal.graph.text.identifiers import identifier_terms
from prefrontal.graph.text.rarity import rarity
from prefrontal.graph.text.words import WORD, stem, words_of

LONGEST = 64
"""The maximum length of a term."""
VERSION = 1
"""Counts the changes of what the terms of a text are; what is stored has those of some version."""
_MONTHS = tuple(MONTHS)
_LATIN, _FOREIGN, _SYMBOL, _OTHER = range(4)
_DENSE = (
    (0x0E00, 0x109F),  # Thai, Lao, Tibetan, Burmese
    (0x1100, 0x139F),  # Hangul, Ethiopic
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x9FFF),  # Han, Kana
    (0xA000, 0xA4CF),  # Yi
    (0xAC00, 0xD7FF),  # Hangul
    (0xF900, 0xFAFF),  # Han
    (0x20000, 0x3FFFF),  # Han
)
"""Scripts of which a pair of characters says as much as three letters."""
_HAN = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))
_LATIN_ENDS = 0x0370
_LATIN_TOO = ((0x1E00, 0x1EFF), (0x2C60, 0x2C7F), (0xA720, 0xA7FF), (0xAB30, 0xAB6F))
_VARIATIONS = ((0x20D0, 0x20FF), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF))
"""What says how the character before it looks."""
_SYMBOLS_FROM = 0x2190
_SYMBOL_WEIGHT = 0.3
"""An emoji often only adorns a question."""


def date_words(at: datetime) -> str:
    """Return a date in English words: `8 may 2023`."""
    return f"{at.day} {_MONTHS[at.month - 1]} {at.year}"


def terms_of(texts: Iterable[str], at: datetime | None) -> str:
    """Return the terms of a memory with some texts, as the index has them, separated by spaces, each once."""
    found = [index_form(term) for text in texts for term in (*every_term(text), *identifier_terms(text))]
    dated = WORD.findall(date_words(at)) if at is not None else ()
    return " ".join(dict.fromkeys((*found, *dated)))


def index_form(term: str) -> str:
    """Return a term as the index has it."""
    if term.isascii() or all(_sort(character) == _LATIN for character in term):
        return term[:LONGEST]
    return "u" + "x".join(f"{ord(character):x}" for character in term)


@lru_cache(maxsize=4_000)
def every_term(text: str) -> tuple[str, ...]:
    """Return the stems, grams and symbols of a text in order; what is repeated is kept."""
    return tuple(term for _, terms in terms_by_word(text) for term in terms)


def weighted_terms(text: str, stop_words: Collection[str]) -> dict[str, float]:
    """Return the terms of a question with their weights, in its order. `stop_words` are stems.

    A term is as rare as the more frequent one of the word and its stem: `paints` is no rarer than `paint`.
    Stop words are left out unless there are no other words.
    """
    found: dict[str, float] = {}
    for word, terms in terms_by_word(text):
        for term in terms:
            weight = _SYMBOL_WEIGHT if is_symbol(term) else min(rarity(word), rarity(term)) / len(terms)
            found[term] = min(found.get(term, 1.0), weight)
    return {term: weight for term, weight in found.items() if term not in stop_words} or found


def terms_by_word(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the words and symbols of a text, each with its terms: a stem, a symbol, or grams."""
    if text.isascii():
        for word in words_of(text):
            yield word, (stem(word)[:LONGEST],)
        return
    folded = unicodedata.normalize("NFKC", text).casefold()
    for sort, characters in groupby(folded, key=_sort):
        run = "".join(characters)
        if sort == _LATIN:
            for word in WORD.findall(run):
                yield word, (stem(word)[:LONGEST],)
        elif sort == _FOREIGN:
            yield run, tuple(_grams(run))
        elif sort == _SYMBOL:
            for character in run:
                yield character, (character,)


def is_latin(text: str) -> bool:
    """Return whether a text has no words of another script and no symbols."""
    return text.isascii() or all(_sort(character) not in (_FOREIGN, _SYMBOL) for character in text)


def is_symbol(term: str) -> bool:
    """Return whether a term is a symbol."""
    return _sort(term[0]) == _SYMBOL


def _grams(run: str) -> list[str]:
    size = 2 if any(_in(ord(character), _DENSE) for character in run) else 3
    grams = [run[place : place + size] for place in range(max(1, len(run) - size + 1))]
    # A Han character is a word or the root of one, which stands in pairs with others.
    return [*grams, *(character for character in run if len(run) > 1 and _in(ord(character), _HAN))]


@lru_cache(maxsize=20_000)
def _sort(character: str) -> int:
    """Return what a character of a folded text belongs to."""
    number, category = ord(character), unicodedata.category(character)
    if category[0] in "LM":
        latin = number < _LATIN_ENDS or _in(number, _LATIN_TOO)
        return _LATIN if latin else _OTHER if _in(number, _VARIATIONS) else _FOREIGN
    if category[0] == "N":
        return _LATIN
    # Inside a word: `don't`.
    if character in "'\u2019":
        return _LATIN
    return _SYMBOL if category == "So" and number >= _SYMBOLS_FROM else _OTHER


def _in(number: int, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(first <= number <= last for first, last in ranges)
