"""The selection of a context's items (source 000, §Test Scenario 2; decisions G-096, G-097, G-100).

    order           mandates, goals, capabilities, observations
    mandates        and capabilities: those of the caller's own spaces and of the common space, whose mandates
                    only maintainers write, before those of other spaces; essential ones before others; own
                    ones before common ones; then by score and id
    goals           of the caller's own spaces before others; then by score and id
    observations    by score, then by id
    fit             an item is included whole or left out; smaller items after it may still fit
    max_items       limits the number of observations only
    min_confidence  applies only to candidates that have a confidence
    budget          never exceeded; headings count too; essential mandates that are left out are reported
                    as missing

The same candidates, budget and constraints always give the same selection.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from prefrontal.graph.context.record import (
    Candidate,
    CandidateKind,
    Constraints,
    Distance,
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


def importance(candidate: Candidate) -> tuple[int, bool, bool, int, float, str]:
    """Return the sort key that decides which candidates are considered first."""
    strange, distance = False, Distance.OWN
    if candidate.kind is CandidateKind.GOAL:
        # Every writer may add goals to the common space.
        strange = candidate.distance is not Distance.OWN
    elif candidate.kind is not CandidateKind.OBSERVATION:
        strange, distance = candidate.distance is Distance.OTHER, candidate.distance
    kind = _KIND_ORDER[candidate.kind]
    return (kind, strange, not candidate.essential, distance, -candidate.score, candidate.uid)


def select(
    candidates: Sequence[Candidate],
    *,
    budget: int,
    constraints: Constraints,
    default_max_items: int,
    sections: Sequence[str],
    count: Callable[[str], int],
) -> Selection:
    """Return the selection of candidates for a context.

    Args:
        candidates: The candidates, in any order.
        budget: The maximum number of tokens of the text.
        constraints: The client's limits.
        default_max_items: The maximum number of observations if the constraints set none.
        sections: The order of the sections.
        count: The token counter.
    """
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
    """Return the items in the order of the sections, with ranks from 1.

    `taken` has the included candidates, most important first, each with its number of tokens.
    """
    place = {Section(name): number for number, name in enumerate(sections)}
    ordered = sorted(
        enumerate(taken), key=lambda pair: (place[pair[1][0].section], _KIND_ORDER[pair[1][0].kind], pair[0])
    )
    return tuple(
        Item(
            uid=candidate.uid,
            scope_id=candidate.scope_id,
            by_uid=candidate.by_uid,
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
