"""In which order a search shows notes about the same thing: what holds now before what held earlier.

Two notes that both answer and say nearly the same are often a fact and an earlier state of it: "The port is
22" and "We moved it to 49222". Nobody said that one replaces the other, so both are shown, the newer one
first:

    alike         the best note of the search, and the notes that are at least `relevance` relevant themselves
                  and have a cosine of at least `cosine` with it (`alike` of the encoder): they are shown
                  together
    changing      those of them that have another value than the best one, or of which the reranker may read
                  the newer of both as a change (above `changes`)
    order         the changing ones by when they happened or were noted, the latest first, then by confidence,
                  then as found; they stand where the best one stood

The rest stays in its order, and so does everything if the question asks for what held earlier (`past_words`)
or names a time. Of an encoder without `alike` nothing is known to be alike.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from prefrontal.graph.search.rules import ParsedQuery, RankedHit, is_note
from prefrontal.graph.text.words import words_of

if TYPE_CHECKING:
    from prefrontal.graph.config.tables import AlikeTable, SearchTable


class Place(NamedTuple):
    """Where something stands in what a search shows; the least place comes first."""

    behind: float
    """The order of the best of those that are alike, with a minus."""
    group: str
    """The id of that one."""
    age: float
    """How old it is: the seconds since 1970 with a minus; 0 for what stands by itself."""
    doubt: float
    """What its confidence lacks to 1."""
    order: float
    """Its order with a minus."""
    uid: str


class Placed(NamedTuple):
    """What a search shows, with its place."""

    place: Place
    found: RankedHit
    newer: str | None
    """The id of the newest of those that are alike, if that is newer."""


def asks_for_past(question: str, table: SearchTable) -> bool:
    """Return whether a question asks for what held earlier, by one of its words."""
    return not table.past_words.isdisjoint(words_of(question))


def to_compare(
    ranked: Sequence[RankedHit],
    question: ParsedQuery,
    text: str,
    alike: AlikeTable | None,
    table: SearchTable,
) -> list[str]:
    """Return the ids of the notes that may be alike, the best first; empty if no order depends on it."""
    if alike is None or question.span is not None or asks_for_past(text, table):
        return []
    found = [each for each in ranked if is_note(each.hit) and each.relevance >= alike.relevance]
    best = max(found, key=lambda each: each.order, default=None)
    if best is None or all(each.hit.at == best.hit.at for each in found):
        return []
    return [best.hit.uid, *(each.hit.uid for each in found if each is not best)]


def newest_first(shown: Sequence[RankedHit], changing: Collection[str]) -> list[Placed]:
    """Return what a search shows in its new order.

    Args:
        shown: What it shows.
        changing: The ids of the best note and of those that change it or are changed by it.
    """
    group = [each for each in shown if each.hit.uid in changing]
    if not group:
        return [Placed(_place(each, each, 0.0), each, None) for each in shown]
    best = max(group, key=lambda each: each.order)
    newest = max(group, key=lambda each: each.hit.at).hit
    placed = [
        Placed(
            _place(each, best, -each.hit.at.timestamp()),
            each,
            newest.uid if newest.at > each.hit.at else None,
        )
        if each.hit.uid in changing
        else Placed(_place(each, each, 0.0), each, None)
        for each in shown
    ]
    return sorted(placed, key=lambda each: each.place)


def _place(found: RankedHit, first: RankedHit, age: float) -> Place:
    doubt = 0.0 if found.hit.confidence is None else 1.0 - found.hit.confidence
    return Place(-first.order, first.hit.uid, age, doubt, -found.order, found.hit.uid)
