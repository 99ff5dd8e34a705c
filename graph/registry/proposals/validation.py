"""Validation of proposals, and the proposal that results from a submission or revision.

new         needs a kind of change, a rationale, and the id of an action type or of a generic key
revised     the given fields get their values, null clears; kind of change and subject cannot change
equal       nothing changes: no new version
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from prefrontal.graph.config.tables import LimitsTable
from prefrontal.graph.errors import IllegalTransition, InvalidInput
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.registry.definitions import ActionType
from prefrontal.graph.registry.proposals.record import (
    ProposalDraft,
    ProposalFilter,
    ProposalStatus,
    ProposalSubject,
    ProposalType,
    RegistryProposal,
)
from prefrontal.graph.text.folding import fold
from prefrontal.graph.validation import camel, json_problems, text_problems

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_DISPLAY_NAME = 100
_MAPS = ("diff", "suggested_policies", "allowed_transitions")
_FIXED = ("proposal_type", "subject")


def is_name(text: str) -> bool:
    """Tell whether a text can be the id of a type."""
    return _NAME.fullmatch(text) is not None


def draft_problems(draft: ProposalDraft, limits: LimitsTable, *, new: bool) -> list[InvalidInput]:
    """Return what is wrong with a draft besides its limits, as far as the input alone shows it."""
    given = draft.model_fields_set
    problems: list[InvalidInput] = []
    if draft.proposal_type is None and (new or "proposal_type" in given):
        problems.append(InvalidInput("must be add, modify or deprecate", field="proposalType"))
    if draft.rationale is None and (new or "rationale" in given):
        problems += text_problems("", "rationale", limits.description_characters)
    if (new or "type_id" in given) and not is_name(draft.type_id or ""):
        message = "must have 1 to 64 of a–z, 0–9 and _, beginning with a letter"
        problems.append(InvalidInput(message, field="typeId"))
    problems += text_problems(draft.display_name, "displayName", _DISPLAY_NAME)
    # The keys of a map that exceeds its limits are not looked at: they may be no valid text.
    readable = not json_problems(draft.diff, "diff", limits.metadata_characters)
    problems += [
        InvalidInput("is not a key of a type's file, or cannot change", field=f"diff.{key}")
        for key in (draft.diff or {} if readable else {})
        if key == "id" or key not in ActionType.model_fields
    ]
    return problems + key_problems(draft, draft.subject or ProposalSubject.ACTION_TYPE)


def filter_problems(wanted: ProposalFilter, limits: LimitsTable) -> list[InvalidInput]:
    """Return what is wrong with a filter of proposals."""
    problems = limit_problems(wanted, limits, "filter")
    if wanted.status is not None and not wanted.status:
        problems.append(InvalidInput("name at least one status", field="filter.status"))
    return problems


def proposal_of(
    draft: ProposalDraft,
    *,
    uid: str,
    org_id: str,
    scope_id: str,
    by_uid: str,
    turn_id: str | None,
    now: datetime,
    actors: Iterable[str] = (),
    requested_name: str | None = None,
) -> RegistryProposal:
    """Return the proposal that results from a draft.

    A proposal to add an action type holds the key of the type's name. Its authors are all `actors` of the
    token, so that none of them can review it.
    """
    subject = draft.subject or ProposalSubject.ACTION_TYPE
    adds = subject is ProposalSubject.ACTION_TYPE and draft.proposal_type is ProposalType.ADD
    name = requested_name if requested_name is not None else draft.type_id
    unset = dict.fromkeys(ProposalDraft.model_fields) | {"examples": (), "risks": ()}
    content = unset | draft.given_fields | {"subject": subject}
    return RegistryProposal(
        uid=uid,
        org_id=org_id,
        scope_id=scope_id,
        **{name: value for name, value in content.items() if name not in {"proposal_type", "rationale"}},
        proposal_type=draft.proposal_type or ProposalType.ADD,
        rationale=draft.rationale or "",
        requested_name=requested_name,
        created_from_turn_id=turn_id,
        status=ProposalStatus.OPEN,
        status_reason=None,
        authors=tuple(dict.fromkeys((by_uid, *actors))),
        reviewers=(),
        reviews=(),
        name_key=fold(name or "") if adds or requested_name is not None else None,
        repo=None,
        branch=None,
        commit=None,
        pr_url=None,
        exported_at=None,
        merged_at=None,
        created_at=now,
        updated_at=now,
        by_uid=by_uid,
        version=1,
    )


def revised(
    before: RegistryProposal, draft: ProposalDraft, *, by_uid: str, actors: Iterable[str] = (), now: datetime
) -> RegistryProposal:
    """Return the proposal with the given fields; it is the next version if a field differs.

    Raises:
        IllegalTransition: If the proposal is decided already.
        InvalidInput: If the kind of change or the subject would change.
    """
    if before.status is not ProposalStatus.OPEN:
        raise IllegalTransition(f"the proposal is {before.status} already", field="id")
    fields = draft.given_fields
    for name in _FIXED:
        if fields.pop(name, kept := getattr(before, name)) != kept:
            raise InvalidInput(f"can be set at submission only; it is {kept}", field=camel(name))
    after = before.model_copy(update=fields)
    if after == before:
        return before
    return after.model_copy(
        update={
            "authors": tuple(dict.fromkeys((*before.authors, by_uid, *actors))),
            "updated_at": now,
            "version": before.version + 1,
        }
    )


def unknown_draft(name: str, *, staged: bool) -> ProposalDraft:
    """Return the proposal for the use of an unknown type: to add the type, or to release a staged one."""
    if staged:
        return ProposalDraft(
            proposal_type=ProposalType.MODIFY,
            type_id=name,
            diff={"rollout_flag": None},
            rationale="An action asked for this type, which is registered but not released for it yet. It "
            "became a task of the user, who has to confirm it.",
        )
    return ProposalDraft(
        proposal_type=ProposalType.ADD,
        type_id=name if is_name(name) else None,
        rationale="An action asked for this type, which the registry does not know. It became a task of the "
        "user, who has to confirm it.",
    )


def key_problems(draft: ProposalDraft, subject: ProposalSubject) -> list[InvalidInput]:
    """Return what is wrong with a draft about a generic key, which is code and has no file."""
    problems: list[InvalidInput] = []
    if subject is ProposalSubject.ACTION_TYPE:
        return problems
    if draft.proposal_type not in (None, ProposalType.ADD):
        problems.append(InvalidInput("a policy or handler key can only be added", field="proposalType"))
    problems += [
        InvalidInput("is only for proposals about an action type", field=camel(name))
        for name in (*_MAPS, "allowed_statuses")
        if getattr(draft, name) is not None
    ]
    return problems
