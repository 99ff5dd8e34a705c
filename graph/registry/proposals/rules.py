"""Rules for the status of a proposal (source 003, §Governance; G-053).

    open        revised by any caller who may write; decided once, by a maintainer who is not an author
                becomes merged when the type that it would add or release is there
    approved    can be exported; becomes merged when the loaded registry contains the proposed change
    withdrawn   taken back while open, or approved and not exported, by who submitted it or a maintainer
    rejected    final, as are merged and withdrawn

An unknown type has one proposal in an organisation, by its folded name: later uses of the name find the same
proposal, whatever was decided. A name whose proposal is decided may be proposed again by a client. A
withdrawn proposal has no name any more, so the next use of the type opens another one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from datetime import datetime
from difflib import SequenceMatcher

from prefrontal.graph.errors import Forbidden, IllegalTransition, InvalidInput
from prefrontal.graph.registry.definitions import ActionTypes
from prefrontal.graph.registry.proposals.record import (
    Export,
    ProposalStatus,
    ProposalSubject,
    RegistryProposal,
    Review,
    ReviewDecision,
)
from prefrontal.graph.text.folding import fold

ENOUGH = 0.6
"""The similarity (0–1) from which a name counts as near to another."""

_WORD = re.compile(r"[^\W_]+")
_DECIDED = {
    ReviewDecision.APPROVE: ProposalStatus.APPROVED,
    ReviewDecision.REJECT: ProposalStatus.REJECTED,
}
_INSTEAD = {
    ProposalStatus.REJECTED: "nothing of it takes effect; submit a new proposal to ask again",
    ProposalStatus.MERGED: "the registry has the change; submit a proposal that undoes it",
    ProposalStatus.WITHDRAWN: "submit a new proposal to ask again",
}
"""What to do instead of taking back a settled proposal."""
UNDECIDED = frozenset({ProposalStatus.OPEN, ProposalStatus.APPROVED})


def name_key(name: str) -> str:
    """Return the folded key of a type's name; different spellings of a name have the same key."""
    return fold(name)


def reviewed(
    proposal: RegistryProposal,
    decision: ReviewDecision,
    comments: str | None,
    *,
    by_uid: str,
    actors: Collection[str],
    now: datetime,
) -> RegistryProposal:
    """Return the next version of the proposal, with a maintainer's decision.

    Args:
        proposal: The present proposal.
        decision: The decision.
        comments: The reasons.
        by_uid: The actor who decides.
        actors: All actors that the maintainer's token names.
        now: The time of the decision.

    Raises:
        IllegalTransition: If the proposal is decided already.
        Forbidden: If the maintainer is an author of the proposal.
    """
    if proposal.status is not ProposalStatus.OPEN:
        raise IllegalTransition(f"the proposal is {proposal.status} already", field="id")
    if set(actors) & set(proposal.authors):
        raise Forbidden("an author of a proposal cannot review it: ask another maintainer", field="id")
    review = Review(by=by_uid, decision=decision, comments=comments, at=now)
    return proposal.model_copy(
        update={
            "status": _DECIDED[decision],
            "reviewers": tuple(dict.fromkeys((*proposal.reviewers, by_uid))),
            "reviews": (*proposal.reviews, review),
            "updated_at": now,
            "version": proposal.version + 1,
        }
    )


def require_exportable(proposal: RegistryProposal) -> None:
    """Check that a proposal can be exported.

    Raises:
        IllegalTransition: If the proposal is not approved, or is merged already.
        InvalidInput: If the proposal is about a generic key, which is code and has no file.
    """
    if proposal.status is not ProposalStatus.APPROVED:
        raise IllegalTransition(
            f"the proposal is {proposal.status}; only an approved one can be exported", field="id"
        )
    if proposal.subject is not ProposalSubject.ACTION_TYPE:
        raise InvalidInput("a generic key is code: there is no file to export", field="id")


def exported(proposal: RegistryProposal, export: Export, now: datetime) -> RegistryProposal:
    """Return an approved proposal with its export; the same proposal if that export is stored already."""
    found = proposal.model_copy(update=export.model_dump())
    if found == proposal:
        return proposal
    return found.model_copy(update={"exported_at": now, "updated_at": now, "version": proposal.version + 1})


def merged_at(proposal: RegistryProposal, now: datetime) -> RegistryProposal:
    """Return a proposal that the registry has settled as merged."""
    return proposal.model_copy(
        update={
            "status": ProposalStatus.MERGED,
            "merged_at": now,
            "updated_at": now,
            "version": proposal.version + 1,
        }
    )


def withdrawn(proposal: RegistryProposal, reason: str | None, now: datetime) -> RegistryProposal:
    """Return a proposal as it is after it was taken back; its name is free for another one.

    Raises:
        IllegalTransition: If the proposal is settled, or people decide about its branch already.
    """
    if proposal.status not in UNDECIDED:
        raise IllegalTransition(
            f"the proposal is {proposal.status} already: {_INSTEAD[proposal.status]}", field="id"
        )
    if proposal.exported_at is not None:
        raise IllegalTransition(
            f"the proposal is exported as the branch {proposal.branch}: leave that unmerged, or propose "
            "another change once it is merged",
            field="id",
        )
    return proposal.model_copy(
        update={
            "status": ProposalStatus.WITHDRAWN,
            "status_reason": reason,
            "name_key": None,
            "updated_at": now,
            "version": proposal.version + 1,
        }
    )


def nearest(name: str, types: ActionTypes) -> str | None:
    """Return the usable type with the most similar name (by common words, then by letters), or None."""
    found = max(((_likeness(name, known), known) for known in usable(types)), default=(0.0, ""))
    return found[1] if found[0] >= ENOUGH else None


def usable(types: ActionTypes) -> tuple[str, ...]:
    """Return the ids of the types that a new action can have, sorted."""
    return tuple(
        name for name in sorted(types) if types.for_new(name) is types[name] and not types[name].block_new
    )


def _likeness(name: str, known: str) -> float:
    mine, theirs = _words(name), _words(known)
    common = len(mine & theirs) / max(1, min(len(mine), len(theirs)))
    return max(common, SequenceMatcher(None, fold(name), known).ratio())


def _words(text: str) -> frozenset[str]:
    words: Iterable[str] = _WORD.findall(fold(text))
    return frozenset(words)
