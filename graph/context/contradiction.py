"""Observations that contradict each other are shown together in a context, and say so.

    contradicts  of an observation those that contradict it, the newest first, at most `conflicts` of
                 `context.yaml`; they are candidates too, whether a search found them or not
    relevance    an observation is at least as relevant as each of those that it contradicts, which then is
                 what led to it; so both have a place
    line         has the observation's own id, and the ids of what it contradicts
    together     an observation is followed at once by what it contradicts

What is right is not for a context to say: it leaves none of the two out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeVar

from prefrontal.graph.config.tables import ObservationScoreTable
from prefrontal.graph.context.record import Candidate
from prefrontal.graph.context.rendering import contradicting
from prefrontal.graph.context.scoring import score_of

_Size = TypeVar("_Size")


def with_contradictions(
    candidates: Sequence[Candidate],
    found: Mapping[str, Sequence[Candidate]],
    most: int,
    table: ObservationScoreTable,
) -> list[Candidate]:
    """Return the candidates and what contradicts them, each with what it contradicts.

    Args:
        candidates: The candidates.
        found: By the id of a candidate, the observations that contradict it, as candidates.
        most: How many contradictions of an observation count.
        table: The weights of the scores.
    """
    known = {each.uid: each for each in candidates}
    more = {each.uid: each for uid in sorted(found) for each in found[uid] if each.uid not in known}
    everything = {**known, **more}
    pairs: dict[str, set[str]] = defaultdict(set)
    for uid, others in found.items():
        for other in others:
            pairs[uid].add(other.uid)
            pairs[other.uid].add(uid)

    def marked(each: Candidate) -> Candidate:
        newest = sorted(pairs.get(each.uid, ()), reverse=True)[:most]
        return _marked(each, [everything[uid] for uid in newest], table, new=each.uid in more)

    return [marked(each) for each in everything.values()]


def _marked(
    each: Candidate, others: Sequence[Candidate], table: ObservationScoreTable, *, new: bool
) -> Candidate:
    if not others:
        return each
    against = tuple(other.uid for other in others)
    each = each.model_copy(
        update={"contradicts": against, "line": contradicting(each.line, each.uid, against)}
    )
    best = max(others, key=lambda other: (other.parts.relevance or 0.0, other.uid))
    if not new and (best.parts.relevance or 0.0) <= (each.parts.relevance or 0.0):
        return each
    parts = each.parts.model_copy(update={"relevance": best.parts.relevance})
    led = {"parts": parts, "score": score_of(parts, table), "reason": best.reason, "via": best.uid}
    return each.model_copy(update=led)


def group_contradicting(shown: Sequence[tuple[Candidate, _Size]]) -> list[tuple[Candidate, _Size]]:
    """Return what is shown, in order, but each followed by what it contradicts."""
    by_uid = {each[0].uid: each for each in shown}
    placed: dict[str, tuple[Candidate, _Size]] = {}

    def add(each: tuple[Candidate, _Size]) -> None:
        candidate, _ = each
        if candidate.uid not in placed:
            placed[candidate.uid] = each
            for uid in candidate.contradicts:
                if uid in by_uid:
                    add(by_uid[uid])

    for each in shown:
        add(each)
    return list(placed.values())
