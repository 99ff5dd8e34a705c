"""The selection of a context's items (source 000, §Test Scenario 2; decisions G-096, G-097, G-100).

    order           mandates, goals, capabilities, and retrieved memories: episodes, facts, skills, lessons,
                    observations, and messages; pending actions, questions and stories come after the first
                    memories of each section
    mandates        and capabilities: those of the caller's own spaces and of the common space, whose mandates
                    only maintainers write, before those of other spaces; essential ones before others; own
                    ones before common ones; then by score and id
    plans           goals, pending actions, questions and stories: of the caller's own spaces before others;
                    then by their place in their list, score and id
    summaries       of conversations: after all others, and only if a newest message of theirs is included
    retrieved       first the best of each section, as many as `at_least` of `context.yaml` says; of these and
                    of the rest essential ones (`scoring`) before others; messages after the others; what is
                    merely recent after what is close to the prompt; then by score and id
    shown           in the order of the sections; messages in the order of their time, and what contradicts
                    each other together
    fit             an item is included whole or left out; smaller items after it may still fit
    shares          if not all fit, a section has its share of the budget first, and what is left goes to the
                    highest scores of all (`graph.context.shares`)
    max_items       limits the number of retrieved memories only; without it the budget alone limits what is
                    close to the prompt, and what is merely recent is added to fewer than `recent_items`
    min_confidence  applies only to candidates that have a confidence; kinds may have one of their own
    budget          never exceeded; headings and tags count too; essential mandates that are left out are
                    reported as missing
    late            what was not ready in time is said at the end of the text, and counts

The same candidates, budget and constraints always give the same selection.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from prefrontal.graph.context.contradiction import group_contradicting
from prefrontal.graph.context.record import (
    Candidate,
    CandidateKind,
    Constraints,
    ContextFormat,
    Distance,
    ExcludedCandidate,
    Item,
    Reason,
    ScoredCandidate,
    Section,
    Selection,
    Source,
)
from prefrontal.graph.context.rendering import closing, incomplete, opening, text_of
from prefrontal.graph.context.shares import Shares

_KIND_ORDER = {
    CandidateKind.MANDATE: 0,
    CandidateKind.GOAL: 1,
    CandidateKind.CAPABILITY: 2,
    CandidateKind.PENDING_ACTION: 4,
    CandidateKind.QUESTION: 5,
    CandidateKind.STORY: 6,
    CandidateKind.SUMMARY: 8,
}
_FIRST, _REST = 3, 7
"""The places of the retrieved memories that a section has at least, and of all others."""
_MANDATE = CandidateKind.MANDATE
_SCORED = tuple(ScoredCandidate.model_fields)
_KIND_NUMBERS = {kind: number for number, kind in enumerate(CandidateKind)}
"""The order of the kinds inside a section; those of one kind stand together, under one heading."""


def importance(
    candidate: Candidate, first: Collection[str] = ()
) -> tuple[int, bool, bool, int, bool, bool, int, float, str]:
    """Return the sort key that decides which candidates are considered first.

    `first` has the ids of the retrieved memories that come before all others.
    """
    strange, distance = False, Distance.OWN
    if candidate.kind.planned:
        # Every writer may add goals, actions and questions to the common space.
        strange = candidate.distance is not Distance.OWN
    elif not candidate.kind.retrieved:
        strange, distance = candidate.distance is Distance.OTHER, candidate.distance
    place = _KIND_ORDER.get(candidate.kind, _FIRST if candidate.uid in first else _REST)
    said, new = candidate.kind is CandidateKind.MESSAGE, candidate.reason is Reason.RECENT
    listed, score = candidate.list_rank, -candidate.score
    return (place, strange, not candidate.essential, distance, said, new, listed, score, candidate.uid)


def _best(candidates: Sequence[Candidate], at_least: Mapping[Any, int]) -> frozenset[str]:
    """Return the ids of the best retrieved memories of each section, as many as it has at least."""
    taken: Counter[str] = Counter()
    best = set()
    for candidate in sorted((each for each in candidates if each.kind.retrieved), key=importance):
        if taken[candidate.section] < at_least.get(candidate.section, 0):
            taken[candidate.section] += 1
            best.add(candidate.uid)
    return frozenset(best)


def select(
    candidates: Sequence[Candidate],
    *,
    budget: int,
    constraints: Constraints,
    recent_items: int,
    sections: Sequence[str],
    at_least: Mapping[Any, int],
    shares: Mapping[Any, float],
    count: Callable[[str], int],
    form: ContextFormat = ContextFormat.MARKDOWN,
    least_confidence: Mapping[Any, float] = {},
    late: Sequence[Source] = (),
) -> Selection:
    """Return the selection of candidates for a context.

    Args:
        candidates: The candidates, in any order.
        budget: The maximum number of tokens of the text.
        constraints: The client's limits.
        recent_items: What is merely recent fills up to so many retrieved memories if the client sets none.
        sections: The order of the sections.
        at_least: How many retrieved memories of a section come before all others.
        shares: The share of the budget that a section has while others wait.
        count: The token counter.
        form: How the lines of the candidates are written.
        least_confidence: By kind, how sure a candidate has to be whatever the client asks for.
        late: What was not ready in time. The text says so, unless a mandate needs the room.
    """
    given = constraints.max_items
    most, recent = (len(candidates), recent_items) if given is None else (given, given)
    doubtful = {each.uid for each in candidates if _is_doubtful(each, constraints, least_confidence)}
    best = _best([each for each in candidates if each.uid not in doubtful], at_least)
    ordered = sorted(candidates, key=lambda each: importance(each, best))
    sizes = {each.uid: count(each.line) for each in ordered}
    ends = {kind: count(opening(kind, form)) + count(closing(kind, form)) for kind in CandidateKind}

    def filled(room: int) -> _BudgetFill:
        filling = _BudgetFill(room, most, recent, sizes, ends, doubtful)
        filling.fill(ordered, None, best)
        if Reason.OVER_BUDGET not in filling.left_out.values():
            return filling
        filling = _BudgetFill(room, most, recent, sizes, ends, doubtful)
        filling.fill(ordered, Shares(room, shares), best)
        return filling

    notice = incomplete(late, form)
    needed = _needed(ordered, sizes, ends[_MANDATE])
    if count(notice) + needed > budget:
        notice = ""
    chosen = filled(budget - count(notice))
    items = arrange([(each, sizes[each.uid]) for each in ordered if each.uid in chosen.taken], sections)
    excluded = [each for each in ordered if each.uid in chosen.left_out]
    return Selection(
        items=items,
        excluded=tuple(left_out(each, sizes[each.uid], chosen.left_out[each.uid]) for each in excluded),
        text=text_of(items, form) + notice,
        used=budget - chosen.left,
        missing_mandates=tuple(each.uid for each in excluded if each.kind is _MANDATE and each.essential),
        mandates_need=needed,
    )


class _BudgetFill:
    """A budget that is filled with candidates: what was taken, what was left out, and what is left."""

    def __init__(
        self,
        budget: int,
        most: int,
        recent: int,
        sizes: Mapping[str, int],
        ends: Mapping[CandidateKind, int],
        doubtful: Collection[str],
    ) -> None:
        self.left = budget
        self.taken: set[str] = set()
        self.left_out: dict[str, Reason] = {}
        self._memories_left, self._recent_left = most, recent
        self._sizes, self._ends, self._doubtful = sizes, ends, doubtful
        self._open: set[CandidateKind] = set()

    def fill(self, ordered: Sequence[Candidate], shares: Shares | None, ahead: Collection[str]) -> None:
        """Take what fits of the candidates, first within the shares of the sections, then the rest."""
        held_back: list[Candidate] = []
        for candidate in ordered:
            if self._is_alone(candidate) and any(each.uid in candidate.beside for each in held_back):
                held_back.append(candidate)
                continue
            reason, tokens = self._look(candidate)
            if reason is not None:
                self.left_out[candidate.uid] = reason
            elif shares is None or not shares.holds_back(candidate, tokens, ahead=candidate.uid in ahead):
                self._take(candidate, tokens)
                if shares is not None:
                    shares.took(candidate, tokens)
            else:
                held_back.append(candidate)
        if held_back:
            self.fill(_by_score(held_back), None, ahead)

    def _is_alone(self, candidate: Candidate) -> bool:
        """Return whether nothing of what a candidate stands beside is included, as far as that is decided."""
        return bool(candidate.beside) and self.taken.isdisjoint(candidate.beside)

    def _look(self, candidate: Candidate) -> tuple[Reason | None, int]:
        """Return why a candidate is left out, if it is, and how many tokens it takes."""
        tokens = self._sizes[candidate.uid]
        if candidate.kind not in self._open:
            tokens += self._ends[candidate.kind]
        if self._is_alone(candidate):
            # For the same reason as what it stands beside.
            reasons = (self.left_out[uid] for uid in candidate.beside if uid in self.left_out)
            return next(reasons, Reason.OVER_LIMIT), tokens
        if candidate.uid in self._doubtful:
            return Reason.BELOW_MIN_CONFIDENCE, tokens
        if candidate.kind.retrieved and self._memories_left < 1:
            return Reason.OVER_MAX_ITEMS, tokens
        if candidate.kind.retrieved and candidate.reason is Reason.RECENT and self._recent_left < 1:
            return Reason.OVER_LIMIT, tokens
        return Reason.OVER_BUDGET if tokens > self.left else None, tokens

    def _take(self, candidate: Candidate, tokens: int) -> None:
        self.left -= tokens
        self._open.add(candidate.kind)
        self._memories_left -= candidate.kind.retrieved
        self._recent_left -= candidate.kind.retrieved
        self.taken.add(candidate.uid)


def _by_score(waiting: Sequence[Candidate]) -> list[Candidate]:
    """Return what waits for room, of all sections the one whose next candidate has the highest score first.

    In each section, and of equals, the order stays.
    """
    queues: dict[Section, deque[Candidate]] = {}
    for each in waiting:
        queues.setdefault(each.section, deque()).append(each)
    found = []
    while queues:
        section = max(queues, key=lambda name: (queues[name][0].essential, queues[name][0].score))
        found.append(queues[section].popleft())
        if not queues[section]:
            del queues[section]
    return found


def _needed(ordered: Sequence[Candidate], sizes: Mapping[str, int], ends: int) -> int:
    """Return the budget from which on all essential mandates have room, with all that come before."""
    mandates = [each for each in ordered if each.kind is _MANDATE]
    last = max((place for place, each in enumerate(mandates, start=1) if each.essential), default=0)
    return sum((sizes[each.uid] for each in mandates[:last]), ends if last else 0)


def left_out(candidate: Candidate, tokens: int, reason: Reason) -> ExcludedCandidate:
    """Return a candidate as left out of a context for a reason."""
    return ExcludedCandidate(**{**_scored(candidate), "reason": reason}, tokens=tokens)


def _scored(candidate: Candidate) -> dict[str, Any]:
    return {name: getattr(candidate, name) for name in _SCORED}


def _is_doubtful(candidate: Candidate, constraints: Constraints, least: Mapping[Any, float]) -> bool:
    if candidate.confidence is None:
        return False
    return candidate.confidence < max(constraints.min_confidence or 0.0, least.get(candidate.kind, 0.0))


def arrange(taken: Sequence[tuple[Candidate, int]], sections: Sequence[str]) -> tuple[Item, ...]:
    """Return the items in the order of the sections, with ranks from 1; messages in the order of their time.

    What contradicts each other stands together.

    `taken` has the included candidates, most important first, each with its number of tokens.
    """
    place = {Section(name): number for number, name in enumerate(sections)}

    def order_key(pair: tuple[int, tuple[Candidate, int]]) -> tuple[Any, ...]:
        position, (candidate, _) = pair
        said_at = candidate.said_at
        order = (position,) if said_at is None else (said_at, candidate.uid)
        return (place[candidate.section], _KIND_NUMBERS[candidate.kind], *order)

    ordered = group_contradicting([each for _, each in sorted(enumerate(taken), key=order_key)])
    return tuple(
        Item(
            **_scored(candidate),
            scope_id=candidate.scope_id,
            by_uid=candidate.by_uid,
            kind=candidate.kind,
            text=candidate.line,
            tokens=tokens,
            rank=rank,
        )
        for rank, (candidate, tokens) in enumerate(ordered, start=1)
    )
