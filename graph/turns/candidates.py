"""What of a turn may be remembered, and how important it is (source 004, §State Selection Criteria).

    observation     what the turn noticed
    tool_execution  a call of a tool that worked
    error           a call of a tool that failed, and what the client says went wrong
    event           what the client says happened

    relevance_to_goals  1 if it names an active goal, `topic_relevance` if it shares a topic with one, else 0
    relevance_to_user   1 if it is about the user, by a word, a tag or the type, else 0
    confidence          that of the observation; 1 for a call and for what the client says happened
    novelty             0 if the space remembers the same text already, else 1
    actionability       1 if it calls for something, by a word, a tag or the type, else 0; 1 for an error of a
                        known kind, and for one that another call made up for

Words and weights are those of `evaluation.yaml`, kinds of errors those of `lessons.yaml`. What the client
says itself counts before all of this.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from prefrontal.graph.importance import Importance, importance_of, names_one_of
from prefrontal.graph.lessons.extraction import error_kind
from prefrontal.graph.text.folding import fold
from prefrontal.graph.topics.rules import topics_in_order
from prefrontal.graph.turns.commit_record import (
    ActiveGoal,
    Candidate,
    GatheredTurn,
    ScoresDraft,
    StateDraft,
    ToolCall,
    TurnObservation,
)
from prefrontal.graph.turns.export_record import StateType

if TYPE_CHECKING:
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.turns.commit_record import CommitTurn

USER_DATA = "user_data"
"""The tag of what is about the user and is never dropped."""


def candidates_of(
    command: CommitTurn, gathered: GatheredTurn, catalog: Catalog, known: Container[str] = ()
) -> list[Candidate]:
    """Return what of a turn may be remembered: calls and observations in their order, then events and errors.

    `known` are the folded texts that the space remembers already.
    """
    weigh = _Weighing(catalog, gathered.goals, known)
    found = [weigh.from_observation(each) for each in gathered.noticed]
    found += [weigh.from_call(each, gathered.called) for each in gathered.called]
    found += [
        weigh.from_draft(each, StateType.EVENT, f"events[{number}]")
        for number, each in enumerate(command.events)
    ]
    found += [
        weigh.from_draft(each, StateType.ERROR, f"errors[{number}]")
        for number, each in enumerate(command.errors)
    ]
    return found


def call_sentence(call: ToolCall) -> str:
    """Return a call of a tool in a sentence."""
    if call.error is not None:
        return f"{call.tool} failed: {call.error}"
    given = ", ".join(f"{name}: {_short(value)}" for name, value in call.parameters.items())
    return f"{call.tool}({given}) returned {call.preview}"


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


_LONGEST = 100


class _Weighing:
    """Weighs the pieces of a turn's state."""

    def __init__(self, catalog: Catalog, goals: Sequence[ActiveGoal], known: Container[str]) -> None:
        self._evaluation, self._lessons = catalog.evaluation, catalog.lessons
        self._topics = catalog.goals.topics
        self._active = {goal.uid for goal in goals}
        self._shared = {topic for goal in goals for topic in goal.topics}
        self._known = known

    def from_observation(self, of: TurnObservation) -> Candidate:
        labels = (of.type, *of.tags)
        return Candidate(
            type=StateType.OBSERVATION,
            origin=of.origin,
            content=of.content,
            data={"content": of.content, "type": of.type, "confidence": of.confidence},
            tags=of.tags,
            importance=self._importance(
                of.content,
                labels,
                of.goal_uids,
                ScoresDraft(confidence=of.confidence, relevance_to_user=None if of.user_id is None else 1.0),
            ),
            user_data=_is_user_data(of.tags),
            observation_uid=of.uid,
        )

    def from_call(self, call: ToolCall, among: Sequence[ToolCall]) -> Candidate:
        content, goals = call_sentence(call), () if call.goal_uid is None else (call.goal_uid,)
        data = {
            "tool": call.tool,
            "parameters": call.parameters,
            "execution_time_ms": call.milliseconds,
            "result_preview": call.preview,
            "result_digest": call.digest,
        }
        tags: tuple[str, ...] = ("tool", call.tool)
        kind, scores = StateType.TOOL_EXECUTION, ScoresDraft(actionability=0.0)
        if call.error is not None:
            named = error_kind(call.error, self._lessons)
            known = named != self._lessons.other_error or _recovered(call, among)
            kind, tags = StateType.ERROR, ("error", call.tool, named)
            scores = ScoresDraft(actionability=float(known))
            data |= {"error": call.error, "error_kind": named}
        return Candidate(
            type=kind,
            origin=call.origin,
            content=content,
            data=data,
            tags=tags,
            importance=self._importance(content, tags, goals, scores),
            happened_at=call.called_at,
        )

    def from_draft(self, draft: StateDraft, kind: StateType, origin: str) -> Candidate:
        goals = () if draft.goal_id is None else (draft.goal_id,)
        found = self._importance(draft.content, draft.tags, goals, draft.scores or ScoresDraft())
        if draft.importance is not None:
            found = found.model_copy(update={"value": draft.importance})
        return Candidate(
            type=kind,
            origin=origin,
            content=draft.content,
            data={"content": draft.content, **({"data": draft.data} if draft.data else {})},
            tags=draft.tags,
            importance=found,
            given=draft.importance is not None,
            user_data=_is_user_data(draft.tags),
            happened_at=draft.happened_at,
        )

    def _importance(
        self, text: str, labels: Iterable[str], goals: Iterable[str], said: ScoresDraft
    ) -> Importance:
        labels = tuple(labels)
        table = self._evaluation
        return importance_of(
            relevance_to_goals=_or(said.relevance_to_goals, self._to_goals(text, labels, goals)),
            relevance_to_user=_or(
                said.relevance_to_user, float(names_one_of(table.about_user, labels, text))
            ),
            confidence=_or(said.confidence, 1.0),
            novelty=_or(said.novelty, float(fold(text) not in self._known)),
            actionability=_or(said.actionability, float(names_one_of(table.actionable, labels, text))),
            weights=table.weights,
        )

    def _to_goals(self, text: str, labels: Iterable[str], goals: Iterable[str]) -> float:
        if any(uid in self._active for uid in goals):
            return 1.0
        if self._shared.isdisjoint(topics_in_order(labels, text, self._topics)):
            return 0.0
        return self._evaluation.topic_relevance


def _or(given: float | None, found: float) -> float:
    return found if given is None else given


def _is_user_data(tags: Iterable[str]) -> bool:
    return any(fold(tag) == USER_DATA for tag in tags)


def _recovered(call: ToolCall, among: Sequence[ToolCall]) -> bool:
    """Tell whether a later call of the turn worked."""
    later: Iterator[ToolCall] = iter(among)
    for each in later:
        if each is call:
            break
    return any(each.error is None for each in later)
