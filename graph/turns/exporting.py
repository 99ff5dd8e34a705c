"""The StateExport and the summary of a turn, from what was decided and applied (source 004, §Phase 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.registry.definitions import COMPLETED
from prefrontal.graph.turns.commit_record import (
    ArchivedEpisode,
    CandidateDecision,
    StoreResult,
    StoreStatus,
    ToolCall,
)
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
from prefrontal.graph.turns.record import Delta, DeltaKind, TurnActionStatus
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.turns.commit_record import CommitTurn, GatheredTurn

_DECISIONS = {
    DeltaKind.NEW_ACTION: ("action", "added"),
    DeltaKind.UPDATED_ACTION: ("action", "updated"),
    DeltaKind.COMPLETED_ACTION: ("action", "completed"),
    DeltaKind.ACTION_STATUS: ("action", "moved"),
    DeltaKind.COMPLETED_GOAL: ("goal", "completed"),
    DeltaKind.GOAL_STATUS: ("goal", "moved"),
    DeltaKind.PROGRESS: ("step towards goals", ""),
    DeltaKind.STORY_UPDATE: ("question or story", "written"),
}
"""What a delta decides about, and what becomes of it."""
_MANY = {"question or story": "questions or stories", "step towards goals": "steps towards goals"}
_NOT_YET = "Not stored yet: "
_UPDATES = {DeltaKind.PROGRESS, DeltaKind.GOAL_STATUS}
_MOVED_ACTIONS = {DeltaKind.ACTION_STATUS, DeltaKind.COMPLETED_ACTION}
_ACTIONS = {DeltaKind.UPDATED_ACTION, DeltaKind.ACTION_STATUS}
_QUOTED = 200


def staged(
    command: CommitTurn,
    gathered: GatheredTurn,
    decided: Sequence[CandidateDecision],
    archived: Sequence[ArchivedEpisode] = (),
    *,
    export_id: str,
    turn_id: str,
    agent_id: str,
    space_id: str,
    success: bool,
    completed_at: datetime,
) -> StateExport:
    """Return the export of a turn as it is before anything is committed, without a summary.

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
        conversation_update=ConversationUpdate(user_input=said, assistant_response=answered, turn_summary=""),
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
    summary: str,
) -> StateExport:
    """Return a staged export with the summary and with what was applied.

    `results` has None for a delta that is still to come.
    """
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
        "conversation_update": export.conversation_update.model_copy(update={"turn_summary": summary}),
        "metadata": metadata,
    }
    return export.model_copy(update=updates)


def summary_of(
    command: CommitTurn,
    called: Sequence[ToolCall],
    results: Sequence[Mapping[str, Any] | None],
    *,
    success: bool,
    most: int,
) -> str:
    """Return the summary of a turn: what was said, decided, done and refused, and what came of it.

    `results` are those of the command's deltas, None for a delta that is still to come.
    """
    parts = []
    if command.user_input:
        parts.append(f"User: {quoted(command.user_input)}")
    if command.assistant_response:
        parts.append(f"Agent: {quoted(command.assistant_response)}")
    parts += _decisions(command.deltas, results)
    if called:
        names = dict.fromkeys(
            f"{each.tool} ({'failed' if each.error is not None else 'worked'})" for each in called
        )
        parts.append(f"Tools: {', '.join(names)}")
    result = command.outcome.result if command.outcome is not None else None
    how = "succeeded" if success else "failed"
    parts.append(f"Outcome: {how}" + (f", {quoted(result)}" if result else ""))
    return "\n".join(parts)[:most]


def caught_up(
    summary: str, deltas: Sequence[Delta], results: Sequence[Mapping[str, Any]], *, most: int
) -> str:
    """Return a summary once the deltas that it says are not stored yet have their results."""
    lines = [
        new
        for line in summary.split("\n")
        for new in (_decisions(deltas, results) if line.startswith(_NOT_YET) else [line])
    ]
    return "\n".join(lines)[:most]


def _decisions(deltas: Sequence[Delta], results: Sequence[Mapping[str, Any] | None]) -> list[str]:
    """Return the lines about the decisions of a turn: what was stored, what was refused, what is to come.

    Only what was written is quoted: a refused text may be one that was forgotten.
    """
    stored: dict[tuple[str, str], list[str | None]] = {}
    refused: dict[tuple[str, str], list[str | None]] = {}
    waiting: dict[tuple[str, str], list[str | None]] = {}
    told = list(zip(deltas, results, strict=True))
    for kind, (noun, done) in _DECISIONS.items():
        wanted = (noun, f"to be {done}" if done else "")
        for delta, result in told:
            if delta.kind is not kind:
                continue
            if result is None:
                waiting.setdefault(wanted, []).append(None)
            elif "problem" in result:
                refused.setdefault(wanted, []).append(result["problem"]["code"])
            else:
                said = None if _wrote_nothing(delta, result) else _words_of(delta.body)
                stored.setdefault((noun, _became(delta, result, done)), []).append(said)
    lines = (("Decisions: ", stored), ("Refused: ", refused), (_NOT_YET, waiting))
    return [label + "; ".join(_effect_lines(found)) for label, found in lines if found]


def _became(delta: Delta, result: Mapping[str, Any], done: str) -> str:
    """Return what became of a stored delta, which is not always what it asked for."""
    if _wrote_nothing(delta, result):
        return "without effect" if delta.kind is DeltaKind.PROGRESS else f"{done} before"
    if delta.kind is DeltaKind.NEW_ACTION and not result["created"]:
        return _DECISIONS[DeltaKind.UPDATED_ACTION][1]
    return "failed" if _failed(delta, result) else done


def _wrote_nothing(delta: Delta, result: Mapping[str, Any]) -> bool:
    """Return whether everything was so already."""
    if delta.kind is DeltaKind.PROGRESS:
        return bool(result["before"] == result["after"])
    return bool(result.get("unchanged"))


def _failed(delta: Delta, result: Mapping[str, Any]) -> bool:
    """Return whether an action was to be completed, and its result says that it failed."""
    wanted = delta.body.status if isinstance(delta.body, TurnActionStatus) else COMPLETED
    return delta.kind in _MOVED_ACTIONS and result.get("status", wanted) != wanted


def _effect_lines(found: Mapping[tuple[str, str], Sequence[str | None]]) -> Iterator[str]:
    for (noun, became), texts in found.items():
        said = "; ".join(dict.fromkeys(filter(None, texts)))
        what = f"{counted(len(texts), noun, _MANY.get(noun))} {became}".rstrip()
        yield f"{what} ({said})" if said else what


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


def _budget(command: CommitTurn, gathered: GatheredTurn) -> tuple[int, int, list[str]]:
    used = gathered.budget_used if command.budget_used is None else command.budget_used
    total = gathered.budget_total if command.budget_total is None else command.budget_total
    warnings = list(command.warnings)
    if used > total:
        warnings.append(f"the turn used {used} tokens of a budget of {total}")
    return used, total, warnings


def _errors(command: CommitTurn, called: Sequence[ToolCall]) -> list[str]:
    failed = [f"{each.tool}: {each.error}" for each in called if each.error is not None]
    return [*failed, *(each.content for each in command.errors)]


def _exported(decided: CandidateDecision, turn_id: str) -> EpisodicExport:
    candidate = decided.candidate
    provenance = {"source": candidate.type.value, "turn_id": turn_id, "origin_id": candidate.origin}
    return EpisodicExport(
        type=candidate.type,
        data={**candidate.data, "provenance": provenance},
        importance=candidate.importance.value,
        tags=list(candidate.tags),
    )


def _given_fields(delta: Delta) -> dict[str, Any]:
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
            goals.setdefault(told["goal"], {}).update(_given_fields(delta) | after)
        elif _failed(delta, told):
            actions.setdefault(told["action"], {}).update(_given_fields(delta) | {"status": told["status"]})
        elif delta.kind in _ACTIONS:
            actions.setdefault(told["action"], {}).update(_given_fields(delta))
    stories = [
        told.get("story") or told["question"] for delta, told in done if delta.kind is DeltaKind.STORY_UPDATE
    ]
    return FcUpdates(
        completed_goals=_of(done, DeltaKind.COMPLETED_GOAL, "goal"),
        updated_goals=goals,
        completed_actions=_of(
            [each for each in done if not _failed(*each)], DeltaKind.COMPLETED_ACTION, "action"
        ),
        updated_actions=actions,
        new_actions=_of(done, DeltaKind.NEW_ACTION, "action"),
        story_updates=stories,
    )


def _scratch_updates(done: Sequence[tuple[Delta, Mapping[str, Any]]]) -> ScratchPageUpdates:
    updated: dict[str, dict[str, Any]] = {}
    for delta, told in done:
        if delta.kind is DeltaKind.UPDATED_OBSERVATION:
            updated.setdefault(told["observation"], {}).update(_given_fields(delta))
    return ScratchPageUpdates(
        archived_observations=_of(done, DeltaKind.ARCHIVED_OBSERVATION, "observation"),
        updated_observations=updated,
        cleared_observations=_of(done, DeltaKind.CLEARED_OBSERVATION, "observation"),
        new_observations=_of(done, DeltaKind.OBSERVATION, "observation"),
    )


def _of(done: Sequence[tuple[Delta, Mapping[str, Any]]], kind: DeltaKind, name: str) -> list[str]:
    return list(dict.fromkeys(told[name] for delta, told in done if delta.kind is kind))
