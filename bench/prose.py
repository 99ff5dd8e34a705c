"""Random sentences of English words as frequent as in English, each about one of some topics.

A fifth of the words of a text are rarer words of its topic, so that texts of a topic resemble each other as
notes about one matter do. Half of the texts of a tenant mention the same entity, the others one whose rank
follows Zipf's law.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import accumulate, product
from random import Random
from typing import NamedTuple

from wordfreq import iter_wordlist, word_frequency

TOPICS = 300
WORDS = 20_000
_COMMON = 1_000
"""So many of the most frequent words are of no topic."""
_OF_TOPIC = 0.2

_FIRST = ("Nora", "Ivo", "Selma", "Bram", "Tilda", "Omar", "Freya", "Hugo", "Ines", "Jonas", "Kira", "Leif")
_LAST = (
    *("Vance", "Okafor", "Lindqvist", "Moreau", "Castell", "Haldane", "Ibarra", "Jansson", "Kowal"),
    *("Laurent", "Mbeki", "Novak", "Orsini", "Petrov", "Quist", "Rossi", "Sandoval", "Tanaka", "Ueda"),
    *("Varga", "Weiss", "Yilmaz", "Zeller", "Abara", "Brandt"),
)


class Prose(NamedTuple):
    """The words of the texts, most frequent first, and what `Random.choices` takes for them."""

    words: Sequence[str]
    weights: Sequence[float]
    topics: Sequence[Sequence[str]]
    topic_of: dict[str, int]


@cache
def prose() -> Prose:
    """Return the words, read once."""
    words = []
    for word in iter_wordlist("en", wordlist="small"):
        if word.isalpha():
            words.append(word)
        if len(words) == WORDS:
            break
    weights = list(accumulate(word_frequency(word, "en", wordlist="small") for word in words))
    topic_of = {word: place % TOPICS for place, word in enumerate(words[_COMMON:])}
    topics: list[list[str]] = [[] for _ in range(TOPICS)]
    for word, topic in topic_of.items():
        topics[topic].append(word)
    return Prose(words, weights, topics, topic_of)


NAMES = tuple(f"{first} {last}" for last, first in product(_LAST, _FIRST))
"""The people that texts mention, the most popular one first."""
_BY_RANK = list(accumulate(1 / rank for rank in range(1, len(NAMES))))


def name(random: Random) -> str:
    """Return whom a text mentions: in half of all cases the most popular one."""
    return NAMES[0] if random.random() < 0.5 else random.choices(NAMES[1:], cum_weights=_BY_RANK)[0]


def text(random: Random, about: str | None = None) -> str:
    """Return a sentence of 10 to 30 words about a topic, which mentions `about`."""
    known, topic = prose(), random.randrange(TOPICS)
    words = random.choices(known.words, cum_weights=known.weights, k=random.randint(10, 30))
    for place in range(len(words)):
        if random.random() < _OF_TOPIC:
            # Squared, so that some words of a topic are usual in it.
            words[place] = known.topics[topic][int(random.random() ** 2 * len(known.topics[topic]))]
    if about is not None:
        words.insert(random.randint(0, len(words)), about)
    return f"{words[0][0].upper()}{words[0][1:]} {' '.join(words[1:])}."


def short_question(random: Random, stored: str) -> str:
    """Return eight words of a stored text, in their order."""
    words = stored.rstrip(".").split()
    start = random.randint(0, max(0, len(words) - 8))
    return f"{' '.join(words[start : start + 8])}?"


def long_prompt(stored: Sequence[str]) -> str:
    """Return the first 60 words of some stored texts."""
    return " ".join(" ".join(stored).split()[:60])


def question_about(random: Random, who: str, stored: str) -> str:
    """Return a question about an entity and two words of a stored text."""
    rare = sorted(stored.rstrip(".").lower().split(), key=len)[-4:]
    return f"What did {who} say about {' and '.join(random.sample(rare, 2))}?"
