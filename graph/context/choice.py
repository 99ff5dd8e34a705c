"""Which goals, pending actions and questions are candidates for a context (source 003, §Retrieval Guidance).

in turn   each space gives its best one before any gives its second one, so that a full space leaves room
          for the others; the caller's own spaces and all other spaces have limits of their own
mixed     half of the places, rounded up, have urgent actions and the rest others, each in their order; if
          one side has too few, the other fills up (decision G-051)
urgent    blocking, overdue, or due within `soon_hours` of `context.yaml`
beside    the summary of a conversation is a candidate if one of its newest messages is
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from prefrontal.graph.context.record import Candidate, Distance


def is_urgent(*, blocking: bool, due_at: datetime | None, soon: datetime) -> bool:
    """Return whether an action is urgent. What is due by `soon` is."""
    return blocking or (due_at is not None and due_at <= soon)


def interleave(urgent: Sequence[Candidate], others: Sequence[Candidate], most: int) -> list[Candidate]:
    """Return up to `most` actions: urgent ones for half of the places, rounded up, then others."""
    first = urgent[: max((most + 1) // 2, most - len(others))]
    return [*first, *others[: most - len(first)]]


def best(
    candidates: Iterable[Candidate],
    most: int,
    choose: Callable[[list[Candidate], int], list[Candidate]] = lambda found, most: found[:most],
) -> list[Candidate]:
    """Return the best of the caller's own spaces, and as many of all others.

    Args:
        candidates: The candidates, best first.
        most: The limit of each of the two.
        choose: What takes up to `most` of some candidates; the first ones, if not given.
    """
    in_turn = _in_turn(list(candidates))
    own = [each for each in in_turn if each.distance is Distance.OWN]
    others = [each for each in in_turn if each.distance is not Distance.OWN]
    return [*choose(own, most), *choose(others, most)]


def best_actions(candidates: Iterable[Candidate], most: int) -> list[Candidate]:
    """Return the best actions as `best` does, urgent ones and others mixed; each with its place."""

    def choose(found: list[Candidate], most: int) -> list[Candidate]:
        urgent = [each for each in found if each.urgent]
        others = [each for each in found if not each.urgent]
        return [
            each.model_copy(update={"list_rank": place})
            for place, each in enumerate(interleave(urgent, others, most))
        ]

    return best(candidates, most, choose)


def in_company(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates without those that stand beside others of which none is among them."""
    there = {each.uid for each in candidates}
    found = [
        each.model_copy(update={"beside": tuple(uid for uid in each.beside if uid in there)})
        if each.beside
        else each
        for each in candidates
    ]
    return [now for now, then in zip(found, candidates, strict=True) if now.beside or not then.beside]


def _in_turn(best_first: Sequence[Candidate]) -> list[Candidate]:
    given: Counter[str] = Counter()
    places: dict[str, int] = {}
    for each in best_first:
        places[each.uid] = given[each.scope_id]
        given[each.scope_id] += 1
    return sorted(best_first, key=lambda each: places[each.uid])
