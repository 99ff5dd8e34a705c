"""What goes into a context (source 000, §Test Scenario 2; decisions G-096, G-097, G-100).

    order      essential mandates, other mandates, goals, capabilities, observations; within each by
               score, then by id
    fits       an item is whole or left out; one that does not fit does not stop a smaller one after it
    max_items  counts observations only         min_confidence  concerns only what has a confidence
    budget     never exceeded: headings count too; mandates without room are named as missing

The same candidates, budget and constraints give the same selection.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from prefrontal.graph.context.record import (
    Candidate,
    CandidateKind,
    Constraints,
    Excluded,
    Item,
    Reason,
    Section,
    Selection,
)
from prefrontal.graph.context.rendering import HEADINGS, text_of

_KIND_ORDER = {
    CandidateKind.MANDATE: 0,
    CandidateKind.GOAL: 1,
    CandidateKind.CAPABILITY: 2,
    CandidateKind.OBSERVATION: 3,
}


def importance(candidate: Candidate) -> tuple[int, bool, float, str]:
    """Return the sort key of who gets room first."""
    return (_KIND_ORDER[candidate.kind], not candidate.essential, -candidate.score, candidate.uid)


def select(
    candidates: Sequence[Candidate],
    *,
    budget: int,
    constraints: Constraints,
    default_max_items: int,
    sections: Sequence[str],
    count: Callable[[str], int],
) -> Selection:
    """Return what fits into `budget` tokens as counted by `count`, and what was left out and why."""
    most = default_max_items if constraints.max_items is None else constraints.max_items
    left = budget
    memories = 0
    open_kinds: set[CandidateKind] = set()
    taken: list[tuple[Candidate, int]] = []
    excluded: list[Excluded] = []
    missing: list[str] = []
    for candidate in sorted(candidates, key=importance):
        tokens = count(candidate.line)
        reason: Reason | None = None
        heading = 0 if candidate.kind in open_kinds else count(HEADINGS[candidate.kind])
        is_memory = candidate.kind is CandidateKind.OBSERVATION
        too_doubtful = (
            constraints.min_confidence is not None
            and candidate.confidence is not None
            and candidate.confidence < constraints.min_confidence
        )
        if too_doubtful:
            reason = Reason.BELOW_MIN_CONFIDENCE
        elif is_memory and memories >= most:
            reason = Reason.OVER_MAX_ITEMS
        elif tokens + heading > left:
            reason = Reason.OVER_BUDGET
        if reason is None:
            left -= tokens + heading
            open_kinds.add(candidate.kind)
            memories += is_memory
            taken.append((candidate, tokens))
            continue
        excluded.append(
            Excluded(
                uid=candidate.uid,
                section=candidate.section,
                tokens=tokens,
                score=candidate.score,
                reason=reason,
            )
        )
        if candidate.kind is CandidateKind.MANDATE and candidate.essential:
            missing.append(candidate.uid)
    items = arrange(taken, sections)
    return Selection(
        items=items,
        excluded=tuple(excluded),
        text=text_of(items),
        used=budget - left,
        missing_mandates=tuple(missing),
    )


def arrange(taken: Sequence[tuple[Candidate, int]], sections: Sequence[str]) -> tuple[Item, ...]:
    """Return the items in the order of the sections, each with its rank from 1; `taken` is by importance."""
    place = {Section(name): number for number, name in enumerate(sections)}
    ordered = sorted(
        enumerate(taken), key=lambda pair: (place[pair[1][0].section], _KIND_ORDER[pair[1][0].kind], pair[0])
    )
    return tuple(
        Item(
            uid=candidate.uid,
            kind=candidate.kind,
            section=candidate.section,
            text=candidate.line,
            tokens=tokens,
            rank=rank,
            score=candidate.score,
            reason=candidate.reason,
        )
        for rank, (_, (candidate, tokens)) in enumerate(ordered, start=1)
    )
