"""What trace and events say of proposals: ids, codes and fields, never their texts."""

from __future__ import annotations

from typing import Any

from graph.cortex.proposals.record import RegistryProposal
from graph.journal.record import Change, Event, EventType, Trace, TraceKind

SUBMITTED = (
    TraceKind.REGISTRY_PROPOSAL_SUBMITTED,
    EventType.REGISTRY_PROPOSAL_SUBMITTED,
    "Registry proposal submitted",
)
REVISED = (
    TraceKind.REGISTRY_PROPOSAL_REVISED,
    EventType.REGISTRY_PROPOSAL_REVISED,
    "Registry proposal revised",
)
REVIEWED = (
    TraceKind.REGISTRY_PROPOSAL_REVIEWED,
    EventType.REGISTRY_PROPOSAL_REVIEWED,
    "Registry proposal reviewed",
)
EXPORTED = (
    TraceKind.REGISTRY_PROPOSAL_EXPORTED,
    EventType.REGISTRY_PROPOSAL_EXPORTED,
    "Registry proposal exported as a branch",
)
MERGED = (
    TraceKind.REGISTRY_PROPOSAL_MERGED,
    EventType.REGISTRY_PROPOSAL_MERGED,
    "Registry proposal merged: the registry says so now",
)


def told(
    said: tuple[TraceKind, EventType, str],
    proposal: RegistryProposal,
    turn_id: str | None,
    details: dict[str, Any] | None = None,
    *ids: str,
) -> Change:
    """Return the trace entry and the event of one change of a proposal."""
    kind, event, message = said
    codes = {
        "proposal_type": proposal.proposal_type.value,
        "subject": proposal.subject.value,
        "status": proposal.status.value,
        **(details or {}),
    }
    return Change(
        result={"uid": proposal.uid},
        traces=(
            Trace(
                kind=kind,
                message=message,
                ids=(proposal.uid, *ids),
                details=codes,
                turn=turn_id,
                scope_id=proposal.scope_id,
            ),
        ),
        events=(
            Event(
                type=event,
                aggregate=proposal.uid,
                aggregate_version=proposal.version,
                scope_id=proposal.scope_id,
                data={"proposal_id": proposal.uid, **codes},
                turn=turn_id,
            ),
        ),
        turns=(turn_id,) if turn_id else (),
    )


def used_again(uid: str, scope_id: str, actions: tuple[str, ...], turn_id: str | None) -> Change:
    """Return what a turn says when it uses an unknown type that is proposed already."""
    return Change(
        result={},
        traces=(
            Trace(
                kind=TraceKind.REGISTRY_PROPOSAL_LINKED,
                message="Unknown action type is proposed already",
                ids=(uid, *actions),
                turn=turn_id,
                scope_id=scope_id,
            ),
        ),
    )
