"""What becomes of a proposal (source 003, §Governance; G-053).

    open        is revised by whoever may write, and decided once, by a maintainer who did not write on it
    approved    can be exported; becomes merged when the registry that is loaded says what it proposed
    rejected    stays as it is, as does merged

An unknown type is proposed once in an organisation, by its folded name: later uses of the name find the
same proposal, whatever was decided about it. A name that was decided may be proposed anew by hand.
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
"""How alike two names are, of 1, to be called near."""

_WORD = re.compile(r"[^\W_]+")
_DECIDED = {
    ReviewDecision.APPROVE: ProposalStatus.APPROVED,
    ReviewDecision.REJECT: ProposalStatus.REJECTED,
}
UNDECIDED = frozenset({ProposalStatus.OPEN, ProposalStatus.APPROVED})


def name_key(name: str) -> str:
    """Return the key of a type's name: spellings of one name are one."""
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
    """Return the proposal as a maintainer decided about it.

    Args:
        proposal: The proposal as it is.
        decision: What the maintainer decides.
        comments: Why.
        by_uid: Who decides.
        actors: Everybody the maintainer's token names.
        now: When.

    Raises:
        IllegalTransition: It is decided already.
        Forbidden: The maintainer wrote on it.
    """
    if proposal.status is not ProposalStatus.OPEN:
        raise IllegalTransition(f"it is {proposal.status} already", field="id")
    if set(actors) & set(proposal.authors):
        raise Forbidden("who wrote a proposal does not decide about it: ask another maintainer", field="id")
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
    """Return when a proposal can be exported.

    Raises:
        IllegalTransition: It is not approved, or merged already.
        InvalidInput: It is about a generic key, which is code and has no file.
    """
    if proposal.status is not ProposalStatus.APPROVED:
        raise IllegalTransition(f"it is {proposal.status}; what is approved is exported", field="id")
    if proposal.subject is not ProposalSubject.ACTION_TYPE:
        raise InvalidInput("a generic key is code: there is no file to export", field="id")


def exported(proposal: RegistryProposal, export: Export, now: datetime) -> RegistryProposal:
    """Return an approved proposal that was exported; itself when it was exported there already."""
    found = proposal.model_copy(update=export.model_dump())
    if found == proposal:
        return proposal
    return found.model_copy(update={"exported_at": now, "updated_at": now, "version": proposal.version + 1})


def merged_at(proposal: RegistryProposal, now: datetime) -> RegistryProposal:
    """Return an approved proposal that is part of the registry now."""
    return proposal.model_copy(
        update={
            "status": ProposalStatus.MERGED,
            "merged_at": now,
            "updated_at": now,
            "version": proposal.version + 1,
        }
    )


def nearest(name: str, types: ActionTypes) -> str | None:
    """Return the usable type whose name is most like another name: by common words, then by letters."""
    found = max(((_likeness(name, known), known) for known in usable(types)), default=(0.0, ""))
    return found[1] if found[0] >= ENOUGH else None


def usable(types: ActionTypes) -> tuple[str, ...]:
    """Return the ids of the types that a new action can have, in order."""
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
