"""The StateExport and the summary of a turn, from what was decided and applied (source 004, §Phase 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.turns.commit_record import Archived, Called, Decided, StoreResult, StoreStatus
from prefrontal.graph.turns.export_record import (
    ArchivedExport,
    ConversationUpdate,
    Discarded,
    EpisodicExport,
    ExportMetadata,
    FcUpdates,
    Provenance,
    ScratchPageUpdates,
    StateExport,
    TurnSummary,
)
from prefrontal.graph.turns.record import Delta, DeltaKind
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.turns.commit_record import CommitTurn, Gathered

_DECISIONS = {
    DeltaKind.NEW_ACTION: ("action", "added"),
    DeltaKind.COMPLETED_ACTION: ("action", "completed"),
    DeltaKind.ACTION_STATUS: ("action", "moved"),
    DeltaKind.COMPLETED_GOAL: ("goal", "completed"),
    DeltaKind.GOAL_STATUS: ("goal", "moved"),
    DeltaKind.PROGRESS: ("step", "towards goals"),
    DeltaKind.STORY_UPDATE: ("question or story", "written"),
}
_MANY = {"question or story": "questions or stories"}
_UPDATES = {DeltaKind.PROGRESS, DeltaKind.GOAL_STATUS}
_ACTIONS = {DeltaKind.UPDATED_ACTION, DeltaKind.ACTION_STATUS}
_QUOTED = 200


def staged(
    command: CommitTurn,
    gathered: Gathered,
    decided: Sequence[Decided],
    archived: Sequence[Archived] = (),
    *,
    export_id: str,
    turn_id: str,
    agent_id: str,
    space_id: str,
    success: bool,
    completed_at: datetime,
    summary: str,
) -> StateExport:
    """Return the export of a turn as it is before anything is committed.

    Raises:
        pydantic.ValidationError: If it violates the structure.
    """
    said, answered = command.user_input or "", command.assistant_response or ""
    began = gathered.began_at or completed_at
    used, total, warnings = _budget(command, gathered)
    return StateExport(
        export_id=export_id,
        turn_id=turn_id,
        agent_id=agent_id,
        timestamp=completed_at,
        turn_summary=TurnSummary(
            duration_ms=max(0, round((completed_at - began).total_seconds() * 1000)),
            user_input=said,
            assistant_response=answered,
            urgency=command.urgency,
            success=success,
        ),
        episodic_exports=[_exported(each, turn_id) for each in decided if each.rule is None],
        fc_updates=FcUpdates(completed_goals=[], updated_goals={}, completed_actions=[], updated_actions={}),
        scratch_page_updates=ScratchPageUpdates(
            archived_observations=[], updated_observations={}, cleared_observations=[]
        ),
        conversation_update=ConversationUpdate(
            user_input=said, assistant_response=answered, turn_summary=summary
        ),
        metadata=ExportMetadata(
            daemons_activated=list(command.daemons_activated),
            tools_executed=[each.tool for each in gathered.called],
            errors=_errors(command, gathered.called),
            warnings=warnings,
            budget_used=used,
            budget_total=total,
            discarded=[
                Discarded(
                    type=each.candidate.type,
                    origin=each.candidate.origin,
                    importance=each.candidate.importance.value,
                    rule=each.rule.value,
                )
                for each in decided
                if each.rule is not None
            ],
            archived=[ArchivedExport(id=each.uid, importance=each.importance) for each in archived],
        ),
        provenance=Provenance(turn_id=turn_id, session_id=gathered.session_uid, space_id=space_id),
    )


def published(
    export: StateExport,
    deltas: Sequence[Delta],
    results: Sequence[Mapping[str, Any] | None],
    stores: Sequence[StoreResult],
) -> StateExport:
    """Return a staged export with what was applied; `results` has None for a delta that is still to come."""
    done = [
        (delta, told) for delta, told in zip(deltas, results, strict=True) if told and "problem" not in told
    ]
    failed = [
        f"{each.store.value}: not committed ({each.code})"
        for each in stores
        if each.status is not StoreStatus.COMMITTED
    ]
    metadata = export.metadata.model_copy(update={"errors": [*export.metadata.errors, *failed]})
    updates = {
        "fc_updates": _fc_updates(done),
        "scratch_page_updates": _scratch_updates(done),
        "metadata": metadata,
    }
    return export.model_copy(update=updates)


def summary_of(command: CommitTurn, called: Sequence[Called], *, success: bool, most: int) -> str:
    """Return the summary of a turn: what was said, decided and done, and what came of it."""
    parts = []
    if command.user_input:
        parts.append(f"User: {quoted(command.user_input)}")
    if command.assistant_response:
        parts.append(f"Agent: {quoted(command.assistant_response)}")
    decisions = _decisions(command.deltas)
    if decisions:
        parts.append(f"Decisions: {'; '.join(decisions)}")
    if called:
        names = dict.fromkeys(
            f"{each.tool} ({'failed' if each.error is not None else 'worked'})" for each in called
        )
        parts.append(f"Tools: {', '.join(names)}")
    result = command.outcome.result if command.outcome is not None else None
    how = "succeeded" if success else "failed"
    parts.append(f"Outcome: {how}" + (f", {quoted(result)}" if result else ""))
    return "\n".join(parts)[:most]


def _decisions(deltas: Sequence[Delta]) -> list[str]:
    found = []
    for kind, (noun, verb) in _DECISIONS.items():
        bodies = [delta.body for delta in deltas if delta.kind is kind]
        if not bodies:
            continue
        said = [text for body in bodies if (text := _words_of(body))]
        more = f" ({'; '.join(said)})" if said else ""
        found.append(f"{counted(len(bodies), noun, _MANY.get(noun))} {verb}{more}")
    return found


def _words_of(body: Any) -> str | None:
    for name in ("title", "note", "reason", "result"):
        text = getattr(body, name, None)
        if isinstance(text, str) and text.strip():
            return quoted(text)
    return None


def quoted(text: str) -> str:
    """Return a text as a summary quotes it: on one line, and only its beginning if it is long."""
    words = " ".join(text.split())
    return words if len(words) <= _QUOTED else words[: _QUOTED - 1] + "…"


def _budget(command: CommitTurn, gathered: Gathered) -> tuple[int, int, list[str]]:
    used = gathered.budget_used if command.budget_used is None else command.budget_used
    total = gathered.budget_total if command.budget_total is None else command.budget_total
    warnings = list(command.warnings)
    if used > total:
        warnings.append(f"the turn used {used} tokens of a budget of {total}")
    return used, total, warnings


def _errors(command: CommitTurn, called: Sequence[Called]) -> list[str]:
    failed = [f"{each.tool}: {each.error}" for each in called if each.error is not None]
    return [*failed, *(each.content for each in command.errors)]


def _exported(decided: Decided, turn_id: str) -> EpisodicExport:
    candidate = decided.candidate
    provenance = {"source": candidate.type.value, "turn_id": turn_id, "origin_id": candidate.origin}
    return EpisodicExport(
        type=candidate.type,
        data={**candidate.data, "provenance": provenance},
        importance=candidate.importance.value,
        tags=list(candidate.tags),
    )


def _given(delta: Delta) -> dict[str, Any]:
    """Return the fields of a delta that were given, without the names of what it changes."""
    named = {"id", "goal_id", "key", "client_key", "expected_version"}
    given: dict[str, Any] = delta.body.model_dump(mode="json", exclude_unset=True, exclude=named)
    return given


def _fc_updates(done: Sequence[tuple[Delta, Mapping[str, Any]]]) -> FcUpdates:
    goals: dict[str, dict[str, Any]] = {}
    actions: dict[str, dict[str, Any]] = {}
    for delta, told in done:
        if delta.kind in _UPDATES:
            after = {"progress": told["after"]} if "after" in told else {}
            goals.setdefault(told["goal"], {}).update(_given(delta) | after)
        elif delta.kind in _ACTIONS:
            actions.setdefault(told["action"], {}).update(_given(delta))
    stories = [
        told.get("story") or told["question"] for delta, told in done if delta.kind is DeltaKind.STORY_UPDATE
    ]
    return FcUpdates(
        completed_goals=_of(done, DeltaKind.COMPLETED_GOAL, "goal"),
        updated_goals=goals,
        completed_actions=_of(done, DeltaKind.COMPLETED_ACTION, "action"),
        updated_actions=actions,
        new_actions=_of(done, DeltaKind.NEW_ACTION, "action"),
        story_updates=stories,
    )


def _scratch_updates(done: Sequence[tuple[Delta, Mapping[str, Any]]]) -> ScratchPageUpdates:
    updated: dict[str, dict[str, Any]] = {}
    for delta, told in done:
        if delta.kind is DeltaKind.UPDATED_OBSERVATION:
            updated.setdefault(told["observation"], {}).update(_given(delta))
    return ScratchPageUpdates(
        archived_observations=_of(done, DeltaKind.ARCHIVED_OBSERVATION, "observation"),
        updated_observations=updated,
        cleared_observations=_of(done, DeltaKind.CLEARED_OBSERVATION, "observation"),
        new_observations=_of(done, DeltaKind.OBSERVATION, "observation"),
    )


def _of(done: Sequence[tuple[Delta, Mapping[str, Any]]], kind: DeltaKind, name: str) -> list[str]:
    return list(dict.fromkeys(told[name] for delta, told in done if delta.kind is kind))
