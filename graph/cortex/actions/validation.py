"""How a draft becomes a pending action, and how an unknown type is handled.

known type    status = the first status of the type; confirmation and blocking from its policies if left out;
              the owner must be one that the type allows, the first of them if left out
unknown type  nothing unknown is ever executed: the action gets the registry's safe type and the user as
              owner, requires a confirmation, and keeps `original_type` and `original_owner` in its metadata
              (source 003, §Safety; G-041, G-042)
staged type   unknown while its rollout flag is off
too new       unknown in a turn that began before the type came into use (G-044)
deprecated    refused with the name of the successor if the type takes no new actions; else replaced by its
              successor, if it names one, with a warning and `original_type` in the metadata (G-046)
title         the title of the draft, else the first line of the description
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from prefrontal.graph.config.tables import LimitsTable
from prefrontal.graph.cortex.actions.record import (
    ActionFilter,
    ActionOwner,
    PendingAction,
    PendingActionDraft,
    PendingActionUpsert,
)
from prefrontal.graph.cortex.actions.rules import AGENT_OWNED
from prefrontal.graph.cortex.actions.utility import density, event_problems, option_problems
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.registry.definitions import ActionType, ActionTypes, lost_policies
from prefrontal.graph.registry.overrides.record import TypeWarning
from prefrontal.graph.validation import (
    camel,
    cleared_problems,
    join_path,
    raise_all,
    short_name,
    text_problems,
)
from prefrontal.graph.wording import with_article

New = PendingActionDraft | PendingActionUpsert

ORIGINAL_TYPE = "original_type"
ORIGINAL_OWNER = "original_owner"


def title_of(draft: New) -> str:
    """Return the draft's title, else the first line of its description, else an empty string."""
    return draft.title if draft.title is not None else _first_line(draft.description)


def retitled(changes: PendingActionUpsert, action: PendingAction, characters: int) -> PendingActionUpsert:
    """Return changes of an action with the default title, if they have null as the title.

    Raises:
        InvalidInput: If there is no description that a title could come from.
    """
    if "title" not in changes.model_fields_set or changes.title is not None:
        return changes
    given = "description" in changes.model_fields_set
    title = _first_line(changes.description if given else action.description)
    if not title:
        raise_all(cleared_problems(changes, ["title"]))
    return changes.model_copy(update={"title": short_name(title, characters)})


def fixed_problems(
    changes: PendingActionUpsert, action: PendingAction, kind: ActionType, path: str
) -> list[InvalidInput]:
    """Return a problem for each field that would change although it is set at creation only.

    Null stands for what a new action without the field gets. A client that repeats its first request names
    the unknown type again.
    """
    problems: list[InvalidInput] = []
    for name, kept, default in (
        ("type", action.type, ""),
        ("goal_id", action.goal_id, None),
        ("owner", action.owner, ActionOwner(kind.allowed_owners[0])),
    ):
        if name not in changes.model_fields_set:
            continue
        given = getattr(changes, name)
        wanted = default if given is None else given
        if wanted != kept and (wanted is None or wanted != action.metadata.get(f"original_{name}")):
            said = f"can be set at creation only; it is {kept or 'null'}"
            problems.append(InvalidInput(said, field=join_path(path, camel(name))))
    return problems


def _first_line(description: str | None) -> str:
    lines = (description or "").strip().splitlines()
    return lines[0] if lines else ""


def owner_of(draft: New, types: ActionTypes) -> ActionOwner:
    """Return who owns the action that a valid draft becomes."""
    known = types.for_new(draft.type)
    if known is None:
        return ActionOwner.USER
    return draft.owner or ActionOwner(known.allowed_owners[0])


def blocks(draft: New, types: ActionTypes) -> bool:
    """Tell whether the action that a draft becomes blocks its goal."""
    policies = (types.for_new(draft.type) or types.safe).default_policies
    return policies.blocking if draft.blocking is None else draft.blocking


def filter_problems(wanted: ActionFilter, types: ActionTypes, limits: LimitsTable) -> list[InvalidInput]:
    """Return what is wrong with a filter; `types` are those in force for the organisation of the caller."""
    problems = limit_problems(wanted, limits, "filter")
    refused = {problem.field for problem in problems}
    checks = (
        ("status", wanted.status, types.known_statuses, "no action type has this status"),
        ("type", wanted.type, types.keys(), "there is no such action type"),
    )
    for name, given, known, message in checks:
        if given is not None and not given:
            problems.append(InvalidInput(f"name at least one {name}", field=f"filter.{name}"))
        for number, value in enumerate((given or ())[: limits.list_items]):
            where = f"filter.{name}[{number}]"
            if value not in known and where not in refused:
                problems.append(InvalidInput(f"{message}; `actionTypes` lists what there is", field=where))
    return problems


def draft_problems(draft: New, types: ActionTypes, path: str) -> list[InvalidInput]:
    """Return what is wrong with a draft beside the length of its fields, each field under `path`."""
    problems: list[InvalidInput] = []
    if draft.title is None:
        title = title_of(draft)
        problems += text_problems(title, join_path(path, "title"), len(title))
    known = types.for_new(draft.type)
    if known is not None and draft.owner is not None and draft.owner.value not in known.allowed_owners:
        allowed = " or ".join(known.allowed_owners)
        problems.append(
            InvalidInput(f"an action of type {known.id} can be owned by {allowed}", field=f"{path}.owner")
        )
    if draft.person is not None and owner_of(draft, types) is not ActionOwner.USER:
        problems.append(InvalidInput(AGENT_OWNED, field=join_path(path, "person")))
    if known is not None:
        problems += event_problems(draft.metadata, known, f"{path}.metadata.event")
        problems += option_problems(draft.metadata, known, f"{path}.metadata.options")
    if known is not None and known.block_new:
        problems.append(InvalidInput(_refusal(known), field=f"{path}.type"))
    return problems


def draft_list_problems(drafts: Sequence[New], types: ActionTypes, path: str) -> list[InvalidInput]:
    """Return what is wrong with some drafts, as `draft_problems` does for one."""
    return [
        problem
        for number, draft in enumerate(drafts)
        for problem in draft_problems(draft, types, f"{path}[{number}]")
    ]


def type_warnings(drafts: Sequence[tuple[New, str]], types: ActionTypes) -> list[TypeWarning]:
    """Return what the deprecated types did that some new actions ask for; each draft with its path."""
    found: list[TypeWarning] = []
    for draft, path in drafts:
        asked, known = types.get(draft.type or ""), types.for_new(draft.type)
        if asked is None or known is None or not asked.deprecated:
            continue
        note = f": {asked.note}" if asked.note else ""
        if known is asked:
            said = f"{asked.id} is deprecated{note}"
            found.append(TypeWarning(code="type_deprecated", message=said, field=f"{path}.type"))
            continue
        lost = tuple(camel(name) for name in lost_policies(asked, known))
        less = f"; it does not have the policies {', '.join(lost)} of {asked.id}" if lost else ""
        said = f"{asked.id} is deprecated{note}; the action became {with_article(known.id)}{less}"
        found.append(TypeWarning(code="type_replaced", message=said, field=f"{path}.type", policies=lost))
    return found


def _refusal(kind: ActionType) -> str:
    """Return the message for a type that takes no new actions, with its successor and note if it has them."""
    instead = f"; use {kind.replaced_by}" if kind.replaced_by else ""
    return f"{kind.id} takes no new actions{instead}" + (f": {kind.note}" if kind.note else "")


def action_of(
    draft: New,
    *,
    uid: str,
    scope_id: str,
    goal_id: str | None,
    turn_id: str | None,
    by_uid: str,
    now: datetime,
    types: ActionTypes,
    priority: tuple[str, int],
    title_characters: int,
    person_id: str | None = None,
) -> PendingAction:
    """Return the action that a valid draft becomes when it is created at `now`."""
    metadata = dict(draft.metadata or {})
    known = types.for_new(draft.type)
    if known is None:
        kind = types.safe
        confirmation = True
        metadata[ORIGINAL_TYPE] = draft.type or ""
        if draft.owner is not None:
            metadata[ORIGINAL_OWNER] = draft.owner.value
    else:
        kind = known
        if draft.type != known.id:
            metadata[ORIGINAL_TYPE] = draft.type
        confirmation = (
            known.asks_for_confirmation
            if draft.requires_confirmation is None
            else draft.requires_confirmation
        )
    return PendingAction(
        uid=uid,
        scope_id=scope_id,
        goal_id=goal_id,
        type=kind.id,
        title=draft.title if draft.title is not None else short_name(title_of(draft), title_characters),
        description=draft.description,
        owner=owner_of(draft, types),
        person_id=person_id,
        priority=priority[0],
        priority_rank=priority[1],
        effort=draft.effort,
        status=kind.initial_status,
        due_at=draft.due_at,
        blocking=blocks(draft, types),
        requires_confirmation=confirmation,
        confirmation_requested=draft.requires_confirmation is True,
        # An action of an unknown type is never completed automatically.
        auto_complete=known is not None
        and (kind.default_policies.auto_complete if draft.auto_complete is None else draft.auto_complete),
        density=density(priority[1], draft.effort, types.table.default_effort),
        evidence_refs=draft.evidence_refs or (),
        confirmed_by=None,
        confirmed_at=None,
        result=None,
        completed_at=None,
        archived_at=None,
        escalated_at=None,
        event_at=None,
        client_key=draft.client_key if isinstance(draft, PendingActionUpsert) else None,
        metadata=metadata,
        created_from_turn_id=turn_id,
        created_at=now,
        updated_at=now,
        by_uid=by_uid,
        version=1,
    )
