"""What later turns need of earlier ones, told by labels and by the texts, not by the rules of sessions.

    together  the turns that one question is answered from, or that are labelled as belonging together: when
              the last of them comes, are the earlier ones held?
    again     a turn says a rare word that was said before in the session, after at least one turn without it:
              is one of the turns that had it held?
    far       those of `again` for which the last turn that had the word is more turns back than the session
              has places. A buffer of the latest turns has none of them
    asked     the turns that a question is asked about later: is each of them held when the session ends?

A word is rare if it is rarer than one in thirty thousand words of English, or in no table, as names are. The
names of the two speakers are left out: they are everywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from bench.sessions.data import Talk
from prefrontal.graph.text.rarity import rarity
from prefrontal.graph.text.words import pieces_of, stem

RAREST = 0.625
"""One in thirty thousand words."""
_SHORTEST = 3


class Need(NamedTuple):
    """At the time of a turn, before it is offered, one of some earlier turns has to be held."""

    at: int
    """The place of the turn; the number of turns if it is the end of the session."""
    of: frozenset[int]


def needs_of_groups(places: Iterable[Sequence[int]]) -> set[Need]:
    """Return the needs of turns that belong together: the last one needs each of the others."""
    return {Need(each[-1], frozenset({earlier})) for each in places for earlier in each[:-1]}


def needs_after_session(places: Iterable[int], turns: int) -> set[Need]:
    """Return the needs of what is asked about once a session of so many turns has ended."""
    return {Need(turns, frozenset({place})) for place in places}


def again(texts: Sequence[str], without: Collection[str] = ()) -> list[Need]:
    """Return the needs of rare words that are said again after at least one turn without them, by words."""
    said: dict[str, list[int]] = {}
    found = []
    left_out = {stem(word) for name in without for word in pieces_of(name)}
    for at, text in enumerate(texts):
        for word in sorted(rare_words(text) - left_out):
            before = said.setdefault(word, [])
            if before and before[-1] < at - 1:
                found.append(Need(at, frozenset(before)))
            before.append(at)
    return found


def rare_words(text: str) -> set[str]:
    """Return the stems of the rare words of a text."""
    return {
        stem(word)
        for word in pieces_of(text)
        if len(word) >= _SHORTEST and not word.isdigit() and min(rarity(word), rarity(stem(word))) >= RAREST
    }


def far(needs: Iterable[Need], capacity: int) -> list[Need]:
    """Return the needs that no buffer of the latest turns meets."""
    return [need for need in needs if need.at - max(need.of) > capacity]


def met(needs: Iterable[Need], held: Sequence[Collection[int]]) -> int:
    """Return how many needs are met.

    Args:
        needs: The needs.
        held: The places of the turns that are held when each turn comes, and at last those at the end.
    """
    return sum(not need.of.isdisjoint(held[need.at]) for need in needs)


def needs_of(talk: Talk, capacity: int) -> dict[str, Collection[Need]]:
    """Return the needs of a session by their kinds."""
    repeated = again([turn.text for turn in talk.turns], talk.speakers)
    return {
        "together": needs_of_groups(talk.together),
        "again": repeated,
        "far": far(repeated, capacity),
        "asked": needs_after_session(talk.asked, len(talk.turns)),
    }
