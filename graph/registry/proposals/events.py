"""Journal entries of proposals: ids, codes and fields, never texts."""

from __future__ import annotations

from typing import Any

from prefrontal.graph.journal.record import Change, EventType, JournalLabels, Trace, TraceKind, one_change
from prefrontal.graph.registry.proposals.record import RegistryProposal

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
    "Registry proposal merged: the registry contains the change",
)
WITHDRAWN = (
    TraceKind.REGISTRY_PROPOSAL_WITHDRAWN,
    EventType.REGISTRY_PROPOSAL_WITHDRAWN,
    "Registry proposal withdrawn",
)


def change_of(
    labels: JournalLabels,
    proposal: RegistryProposal,
    turn_id: str | None,
    details: dict[str, Any] | None = None,
    *ids: str,
) -> Change:
    """Return the trace entry and the event of one change of a proposal."""
    codes = {
        "proposal_type": proposal.proposal_type.value,
        "subject": proposal.subject.value,
        "status": proposal.status.value,
        **(details or {}),
    }
    return one_change(
        proposal,
        labels,
        turn_id,
        ids=ids,
        details=codes,
        data={"proposal_id": proposal.uid, **codes},
        result={"uid": proposal.uid},
    )


def used_again(uid: str, scope_id: str, actions: tuple[str, ...], turn_id: str | None) -> Change:
    """Return the trace entry of a turn that uses an unknown type for which a proposal exists."""
    return Change(
        result={},
        traces=(
            Trace(
                kind=TraceKind.REGISTRY_PROPOSAL_LINKED,
                message="Unknown action type already has a proposal",
                ids=(uid, *actions),
                turn=turn_id,
                scope_id=scope_id,
            ),
        ),
    )
