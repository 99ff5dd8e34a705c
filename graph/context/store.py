"""Queries for the candidates and receipts of contexts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from prefrontal.graph.clock import sortable
from prefrontal.graph.context import rendering
from prefrontal.graph.context.choice import best, best_actions, is_urgent
from prefrontal.graph.context.record import (
    Candidate,
    CandidateKind,
    Distance,
    ExcludedCandidate,
    Item,
    Reason,
    Receipt,
    ReceiptItem,
    ScoreParts,
    Section,
    StandingCandidates,
)
from prefrontal.graph.context.scoring import Match, match, relevance_in_session, score_of
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.journal.turns import turn_row
from prefrontal.graph.recency import recency
from prefrontal.graph.search.record import Passage
from prefrontal.graph.sessions.record import ActiveMemory, RelatedMemory
from prefrontal.graph.storage.related import RelatedList
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.search.record import SearchResult
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx

_ANSWERED = "answered"
"""Questions with this status are candidates if they have to do with the prompt."""
_LATELY = timedelta(days=1)
"""Of what is older its line shows the day alone: the time of day takes more tokens than the day."""
_NOTED = frozenset({CandidateKind.OBSERVATION, CandidateKind.FRAGMENT})
"""What is of the moment: it is shown in the scratch page, and ages as observations do."""


async def read_candidates(
    tx: Tx,
    caller: Caller,
    now: datetime,
    catalog: Catalog,
    terms: Mapping[str, float],
    relevance: Mapping[str, float],
    close: Mapping[str, float],
) -> StandingCandidates:
    """Return the candidates beside what a search found: mandates, capabilities, goals, and recent memories.

    With recent messages come the summaries of what was said before them.

    The caller's own spaces and all other spaces together each have the limits of `context.yaml` for
    themselves.

    Args:
        tx: The transaction.
        caller: Whose context it is.
        now: The time of the context.
        catalog: The tables.
        terms: The terms of the prompt with their weights.
        relevance: The relevance of the memories that a search found for the prompt, by id.
        close: How close the goals and questions are that a search found, by id.
    """
    table = catalog.context.candidates
    row = await tx.one(
        "context/read_candidates",
        readable=list(caller.readable),
        org_id=caller.org_id,
        own=caller.own,
        common=caller.common,
        now=now,
        always=[{"kind": kind, "most": table.always[kind]} for kind in catalog.memory.chosen("always")],
        most=max(table.always.values()),
        newest=catalog.memory.chosen("recent"),
        active_statuses=list(catalog.goals.active_statuses),
        goals=table.goals_read,
        counted=table.counted,
        recent=table.recent,
        found=sorted(uid for uid in relevance if kind_of(uid) is Kind.OBSERVATION),
        close=sorted(uid for uid in close if kind_of(uid) is Kind.GOAL),
    )
    sources = _Sources(caller)
    read = {item["uid"]: item for item in (*row["goal_items"], *row["close_items"], *row["evidenced_items"])}
    matches = {
        uid: match(
            f"{item['title']} {item['description'] or ''}",
            {by: relevance[by] for by in item["by"]},
            terms,
            catalog.context.goal_score,
            close.get(uid, 0.0),
        )
        for uid, item in read.items()
    }
    found = [_goal(item, sources, catalog, matches[uid]) for uid, item in read.items()]
    goals = best(_best_first(found), table.goals)
    recent = {item["uid"]: item for item in _with_times((*row["recent_items"], *row["newest_items"]))}
    shown = tuple(
        _retrieved(item, sources, 0.0, now, catalog)
        for item in recent.values()
        if recency(*_age(item, catalog, now)) >= catalog.context.observation_score.least_recency
    )
    newest = {each.uid for each in shown}
    summaries = (_summary(item, sources, now, catalog) for item in row["summary_items"])
    cut = (row["always_total"] - len(row["always_items"]), row["goal_total"] - len(goals))
    return StandingCandidates(
        items=(
            *(_always(item, sources, catalog) for item in row["always_items"]),
            *goals,
        ),
        recent=shown,
        summaries=tuple(each for each in summaries if not newest.isdisjoint(each.beside)),
        goals={goal.uid: matches[goal.uid].relevance for goal in goals},
        over_limit=sum(max(0, number) for number in cut),
    )


async def read_steps(
    tx: Tx,
    caller: Caller,
    now: datetime,
    catalog: Catalog,
    terms: Mapping[str, float],
    goals: Mapping[str, float],
    close: Mapping[str, float],
) -> list[Candidate]:
    """Return the candidates that come next: pending actions, questions, and stories that answer these.

    Args:
        tx: The transaction.
        caller: Whose context it is.
        now: The time of the context.
        catalog: The tables.
        terms: The terms of the prompt with their weights.
        goals: The relevance of the chosen goals, by id.
        close: How close the goals and questions are that a search found, by id.
    """
    table, questions = catalog.context.candidates, catalog.questions.questions
    soon = now + timedelta(hours=catalog.context.steps.soon_hours)
    row = await tx.one(
        "context/read_steps",
        readable=list(caller.readable),
        org_id=caller.org_id,
        own=caller.own,
        goal_ids=sorted(goals),
        close=sorted(uid for uid in close if kind_of(uid) is Kind.QUESTION),
        soon=f"{sortable(soon)}~",
        most=table.steps_read,
        active_statuses=list(catalog.goals.active_statuses),
        blocked_status=catalog.goals.blocked_status,
        question_statuses=[*questions.listed_statuses, _ANSWERED],
        story_statuses=list(catalog.questions.stories.listed_statuses),
    )
    sources = _Sources(caller)

    def matched(item: Row, text: str) -> Match:
        goal = item["goal_id"]
        through = {goal: goals[goal]} if goal in goals else {}
        return match(text, through, terms, catalog.context.goal_score, close.get(item["uid"], 0.0))

    actions = []
    for item in row["action_items"]:
        found = matched(item, f"{item['title']} {item['description'] or ''}")
        actions.append((-found.relevance, item["sort_key"], _action(item, sources, catalog, found, soon)))
    asked = []
    stories = {}
    for item in row["question_items"]:
        found = matched(item, item["text"])
        if item["status"] != _ANSWERED or found.relevance > 0:
            question = _question(item, sources, catalog, found)
            asked.append(question)
            if item["story"] is not None:
                story = _story(item["story"], sources, catalog)
                same = {"score": question.score, "parts": question.parts, "reason": question.reason}
                stories[item["uid"]] = story.model_copy(update=same)
    chosen = best(_best_first(asked), table.questions)
    told = [stories[each.uid] for each in chosen if each.uid in stories]
    ordered = [action for _, _, action in sorted(actions, key=lambda each: each[:2])]
    return [*best_actions(ordered, table.actions), *chosen, *told]


async def read_conflicts(
    tx: Tx, caller: Caller, uids: Sequence[str], now: datetime, catalog: Catalog
) -> dict[str, list[Candidate]]:
    """Return what contradicts each of some observations, as candidates that nothing else speaks for."""
    most = catalog.context.candidates.conflicts
    row = await tx.one(
        "context/read_conflicts",
        uids=list(uids),
        readable=list(caller.readable),
        org_id=caller.org_id,
        now=now,
        most=most,
    )
    sources = _Sources(caller)
    return {
        item["uid"]: [_retrieved(found, sources, 0.0, now, catalog) for found in _with_times(item["found"])]
        for item in row["items"]
    }


def _with_times(items: Iterable[Row]) -> Iterator[Row]:
    """Yield items with `at` as a time. Rows have it as text: the driver is slow to build temporal values."""
    return ({**item, "at": datetime.fromisoformat(item["at"])} for item in items)


def _best_first(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates with the best first, and of equals the newest."""
    return sorted(candidates, key=lambda each: (each.score, each.uid), reverse=True)


def found_candidate(
    found: SearchResult, best: float, caller: Caller, now: datetime, catalog: Catalog
) -> Candidate:
    """Return what a search found as a candidate; `best` is the closeness of what is closest to the prompt."""
    item = {**found.__dict__, "kind": found.kind.value}
    via = found.about[0] if found.about else None
    return _retrieved(item, _Sources(caller), found.closeness / best, now, catalog, via)


def session_candidate(
    memory: ActiveMemory,
    session: str,
    caller: Caller,
    now: datetime,
    catalog: Catalog,
    found: Candidate | None,
) -> Candidate:
    """Return what a session holds, or an earlier one left, as a candidate which that session led to.

    `found` is the candidate that a search made of it, if it did: it shows the part that fits the prompt.
    """
    item, sources = {**memory.__dict__, "at": memory.happened_at or memory.created_at}, _Sources(caller)
    kind = CandidateKind(memory.kind)
    led: dict[str, Any] = {"reason": Reason.HELD, "via": session}
    if isinstance(memory, RelatedMemory):
        led = {"reason": Reason.RELATED, "via": memory.session}
    if not kind.retrieved:
        return _always(item, sources, catalog).model_copy(update=led)
    candidate = found or _retrieved(item, sources, 0.0, now, catalog)
    closeness = candidate.parts.relevance or 0.0
    relevance = relevance_in_session(closeness, memory.salience, catalog.context, memory.correlation)
    if found is not None and memory.correlation is not None and relevance <= closeness:
        # The prompt says more for it than the earlier session.
        return found
    parts = candidate.parts.model_copy(update={"relevance": relevance})
    score = score_of(parts, catalog.context.observation_score)
    return candidate.model_copy(update={**led, "parts": parts, "score": score})


class _Sources:
    """Says of rows whose they are for a caller."""

    def __init__(self, caller: Caller) -> None:
        self._own = frozenset(caller.own)
        self._common = caller.common

    def __call__(self, item: Row) -> dict[str, Any]:
        """Return the fields of a candidate that say where it comes from."""
        space = item["scope_id"]
        if space in self._own:
            distance = Distance.OWN
        else:
            distance = Distance.COMMON if space == self._common else Distance.OTHER
        return {"scope_id": space, "by_uid": item["by_uid"], "distance": distance}


async def read_included(
    tx: Tx, caller: Caller, included: Sequence[ReceiptItem], now: datetime, catalog: Catalog
) -> list[Candidate]:
    """Return a receipt's readable items as candidates, with current text and the scores of the receipt."""
    then = {item.uid: item for item in included}
    uids = dict.fromkeys([*then, *(uid for item in included for uid in item.contradicts)])
    row = await tx.one(
        "context/read_included", uids=list(uids), readable=list(caller.readable), org_id=caller.org_id
    )
    readable = {item["uid"] for item in row["memory_items"]}
    sources = _Sources(caller)
    found = [_goal(item, sources, catalog, Match()) for item in row["goal_items"]]
    found += [_action(item, sources, catalog, Match(), now) for item in row["action_items"]]
    found += [_question(item, sources, catalog, Match()) for item in row["question_items"]]
    found += [_story(item, sources, catalog) for item in row["story_items"]]
    found += [_summary(item, sources, now, catalog) for item in row["summary_items"]]
    for item in _with_times(row["memory_items"]):
        if CandidateKind(item["kind"]).retrieved:
            shown = {**item, "passage": then[item["uid"]].passage}
            found.append(_retrieved(shown, sources, 0.0, now, catalog))
        else:
            found.append(_always(item, sources, catalog))
    return [
        _as_then(candidate, then[candidate.uid], readable) for candidate in found if candidate.uid in then
    ]


def _as_then(candidate: Candidate, then: ReceiptItem, readable: Collection[str]) -> Candidate:
    """Return a candidate as a receipt has it, with those that contradict it as far as they are readable."""
    against = tuple(uid for uid in then.contradicts if uid in readable)
    line = rendering.contradicting(candidate.line, candidate.uid, against) if against else candidate.line
    same = {name: getattr(then, name) for name in ("score", "parts", "reason", "via", "path")}
    return candidate.model_copy(update={**same, "contradicts": against, "line": line, "list_rank": then.rank})


def _always(item: Row, sources: _Sources, catalog: Catalog) -> Candidate:
    essential = bool(item["essential"])
    return Candidate(
        uid=item["uid"],
        kind=CandidateKind(item["kind"]),
        section=Section(catalog.memory.kinds[item["kind"]].section),
        line=rendering.memory_line(item["content"]),
        score=1.0 if essential else 0.5,
        essential=essential,
        reason=Reason.ESSENTIAL if essential else Reason.ACTIVE,
        **sources(item),
    )


def _planned(
    item: Row,
    kind: CandidateKind,
    line: str,
    sources: _Sources,
    catalog: Catalog,
    match: Match,
    urgency: float,
) -> Candidate:
    parts = ScoreParts(urgency=urgency, relevance=match.relevance)
    return Candidate(
        uid=item["uid"],
        kind=kind,
        section=Section.FRONTAL_CORTEX,
        line=line,
        score=score_of(parts, catalog.context.goal_score),
        parts=parts,
        reason=Reason.MATCHING if match.relevance > 0 else Reason.ACTIVE,
        via=match.via,
        **sources(item),
    )


def _urgency(item: Row, catalog: Catalog) -> float:
    return float(item["priority_rank"] / max(catalog.goals.priorities.values()))


def _goal(item: Row, sources: _Sources, catalog: Catalog, match: Match) -> Candidate:
    line = rendering.goal_line(
        item["uid"], item["title"], item["priority"], item["status"], item["progress"], item["above"]
    )
    return _planned(item, CandidateKind.GOAL, line, sources, catalog, match, _urgency(item, catalog))


def _action(item: Row, sources: _Sources, catalog: Catalog, match: Match, soon: datetime) -> Candidate:
    urgent = is_urgent(blocking=item["blocking"], due_at=item["due_at"], soon=soon)
    line = rendering.action_line(
        item["uid"],
        item["title"],
        what=(item["type"], item["status"], item["priority"], f"for the {item['owner']}"),
        due_at=item["due_at"],
        blocking=item["blocking"],
        goal=item["goal_id"],
    )
    urgency = 1.0 if urgent else _urgency(item, catalog)
    found = _planned(item, CandidateKind.PENDING_ACTION, line, sources, catalog, match, urgency)
    if not urgent:
        return found
    return found.model_copy(update={"urgent": True, "reason": Reason.URGENT})


def _question(item: Row, sources: _Sources, catalog: Catalog, match: Match) -> Candidate:
    line = rendering.question_line(
        item["uid"], item["text"], item["priority"], item["status"], item["goal_id"]
    )
    return _planned(item, CandidateKind.QUESTION, line, sources, catalog, match, _urgency(item, catalog))


def _story(item: Row, sources: _Sources, catalog: Catalog) -> Candidate:
    line = rendering.story_line(item["uid"], item["narrative"], item["status"], item["question_id"])
    told = Match(via=item["question_id"])
    return _planned(item, CandidateKind.STORY, line, sources, catalog, told, 0.0)


def _age(item: Row, catalog: Catalog, now: datetime) -> tuple[datetime, datetime, float | None]:
    """Return when a memory was noticed, said or happened, now, and the half-life of its kind."""
    noted = CandidateKind(item["kind"]) in _NOTED
    table = catalog.context.observation_score
    half_life = table.recency_half_life_hours if noted else catalog.memory.kinds[item["kind"]].half_life_hours
    return item["at"], now, half_life


def _retrieved(
    item: Row, sources: _Sources, relevance: float, now: datetime, catalog: Catalog, via: str | None = None
) -> Candidate:
    kind = CandidateKind(item["kind"])
    table = catalog.context.observation_score
    at, _, half_life = _age(item, catalog, now)
    confidence, speaker, section = item["confidence"], None, Section.SCRATCH_PAGE
    if kind not in _NOTED:
        speaker, section = item["speaker"], Section(catalog.memory.kinds[kind.value].section)
    sure = catalog.memory.default_confidence if confidence is None else confidence
    part = item.get("passage")
    passage = None if part is None else Passage.model_validate(part)
    line = rendering.memory_line(
        item["content"] if passage is None else passage.of(item["content"]),
        at=_shown_time(kind, at, half_life, now),
        confidence=confidence,
        speaker=speaker,
        part=None if passage is None else (passage.place, passage.total),
    )
    parts = ScoreParts(relevance=relevance, recency=recency(at, now, half_life), confidence=sure)
    return Candidate(
        uid=item["uid"],
        kind=kind,
        section=section,
        line=line,
        score=score_of(parts, table),
        parts=parts,
        confidence=confidence,
        said_at=at if kind is CandidateKind.MESSAGE else None,
        passage=passage,
        reason=Reason.MATCHING if relevance > 0 else Reason.RECENT,
        via=via,
        **sources(item),
    )


def _summary(item: Row, sources: _Sources, now: datetime, catalog: Catalog) -> Candidate:
    """Return the summary of the older messages of a conversation, which stands beside the newest ones."""
    kind = catalog.memory.kinds[CandidateKind.MESSAGE.value]
    parts = ScoreParts(recency=recency(item["seen_until"], now, kind.half_life_hours))
    return Candidate(
        uid=item["uid"],
        kind=CandidateKind.SUMMARY,
        section=Section(kind.section),
        line=rendering.memory_line(item["text"]),
        score=score_of(parts, catalog.context.observation_score),
        parts=parts,
        reason=Reason.RECENT,
        beside=tuple(item.get("beside", ())),
        **sources(item),
    )


def _shown_time(
    kind: CandidateKind, at: datetime, half_life: float | None, now: datetime
) -> datetime | date | None:
    """Return the time in a line: of what is from the last day to the second, else the day, in UTC.

    Of a fact it is always the day, so that a reader can tell the newer one.
    """
    if half_life is not None and abs(now - at) < _LATELY:
        return at
    # What does not age says nothing of its time, unless it is a fact.
    return None if half_life is None and kind is not CandidateKind.FACT else at.astimezone(UTC).date()


def receipt_of(
    *,
    uid: str,
    turn_id: str | None,
    budget: int,
    used: int,
    tokenizer: str,
    now: datetime,
    items: Sequence[Item],
    excluded: Sequence[ExcludedCandidate],
    over_limit: int,
    most_excluded: int,
) -> Receipt:
    """Return the receipt of a context.

    It has all included items, the `most_excluded` excluded candidates with the highest scores, and the number
    of excluded candidates by reason, with the number of those over a limit.
    """
    counts = Counter(item.reason.value for item in excluded)
    if over_limit:
        counts[Reason.OVER_LIMIT.value] = over_limit
    best = sorted(excluded, key=lambda item: (-item.score, item.uid))[:most_excluded]
    return Receipt(
        uid=uid,
        turn_id=turn_id,
        budget=budget,
        used=used,
        tokenizer=tokenizer,
        created_at=now,
        included=tuple(
            ReceiptItem.model_validate(item.model_dump(include=set(ReceiptItem.model_fields)))
            for item in items
        ),
        excluded=tuple(best),
        excluded_counts=dict(counts),
    )


async def record_receipt(
    tx: Tx, caller: Caller, receipt: Receipt, turn: str, keep_days: int, *, taking: bool = False
) -> tuple[str, str | None]:
    """Store a receipt with the ids of the included nodes.

    Returns the id of the node of the `turn`, and of the session that the turn is in. `taking` begins another
    turn, whatever turn the name stands for.
    """
    now, included = receipt.created_at, receipt.included
    row = await tx.one(
        "context/record_receipt",
        org_id=caller.org_id,
        turn=turn_row(turn, actor_id=caller.actor_id, home=caller.home, now=now, taking=taking),
        receipt={
            "uid": receipt.uid,
            "org_id": caller.org_id,
            "scope_id": caller.home,
            "name": f"context of {counted(receipt.used, 'token')}",
            "created_at": now,
            "by_uid": caller.actor_id,
            "turn_key": turn,
            "budget": receipt.budget,
            "used": receipt.used,
            "tokenizer": receipt.tokenizer,
            "excluded": json.dumps([item.model_dump(mode="json") for item in receipt.excluded]),
            "excluded_counts": json.dumps(receipt.excluded_counts),
            "excluded_uids": [item.uid for item in receipt.excluded],
            "included_uids": [item.uid for item in included],
            "included_sections": [item.section.value for item in included],
            "included_ranks": [item.rank for item in included],
            "included_tokens": [item.tokens for item in included],
            "included_scores": [float(item.score) for item in included],
            "included_reasons": [item.reason.value for item in included],
            "included_via": [item.via or "" for item in included],
            "included_parts": [item.parts.model_dump_json(exclude_none=True) for item in included],
            "included_passages": [
                "" if item.passage is None else item.passage.model_dump_json() for item in included
            ],
            "included_paths": [json.dumps(item.path) for item in included],
            "included_contradicts": [json.dumps(item.contradicts) for item in included],
            "link_at": now,
            "expires_at": now + timedelta(days=keep_days),
        },
    )
    return str(row["turn_uid"]), row["session_uid"]


async def find_receipt(
    tx: Tx, caller: Caller, turn_id: str, now: datetime, uid: str | None = None
) -> Receipt | None:
    """Return the newest receipt of a turn, by its name or its id, or the one with the id `uid`; or None."""
    row = await tx.optional(
        "context/find_receipt",
        readable=list(caller.readable),
        org_id=caller.org_id,
        turn_key=turn_id,
        receipt_uid=uid,
        home=caller.home,
        now=now,
    )
    return None if row is None else receipt_record(row)


async def find_seen(tx: Tx, caller: Caller, turn_id: str, now: datetime) -> frozenset[str]:
    """Return the ids of what the contexts of a turn included, as far as their receipts are kept."""
    row = await tx.one(
        "context/find_seen",
        readable=list(caller.readable),
        org_id=caller.org_id,
        home=caller.home,
        key=turn_id,
        now=now,
    )
    return frozenset(row["uids"])


def receipt_record(row: Row) -> Receipt:
    """Return the receipt of a row with the node and what it included.

    What was left out is listed as far as the reader may read it; the numbers by reason count everything.
    """
    stored: dict[str, Any] = dict(row["receipt"])
    readable = set(stored.pop("readable"))
    return Receipt.model_validate(
        {
            **stored,
            "excluded": [item for item in json.loads(stored["excluded"]) if item["uid"] in readable],
            "excluded_counts": json.loads(stored["excluded_counts"]),
            "included": [ReceiptItem.from_row(item) for item in row["included"]],
        }
    )


def _receipt(row: Row, _: datetime) -> Receipt:
    return receipt_record(row)


receipts = RelatedList("context/list_receipts", "context/count_receipts", _receipt, str, shared=False)
