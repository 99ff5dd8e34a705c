"""Inputs and results of `upsertPendingActions`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import strawberry
from strawberry.scalars import JSON

from prefrontal.api.graphql.actions.types import PendingActionType, one_of_two
from prefrontal.api.graphql.errors import Problem, ProblemDetail
from prefrontal.api.graphql.inputs import draft, each, key_field, space_field, turn_field, version_field
from prefrontal.graph.cortex.actions.record import (
    ActionOwner,
    ActionUpsert,
    EntryProblem,
    PendingActionChanges,
    PendingActionDraft,
    UpsertResult,
)


@strawberry.input(
    description="A pending action to create or to change. An omitted field keeps its value, or gets its "
    "default in a new action; null clears the field."
)
class PendingActionUpsertInput:
    """One entry of an upsert."""

    id: strawberry.ID | None = strawberry.field(default=None, description="The action to change.")
    client_key: str | None = strawberry.field(
        default=None,
        description="Your own name for the action, instead of `id`; unique in a space. The action with "
        "this name is changed, or created if there is none.",
    )
    goal_id: strawberry.ID | None = strawberry.field(
        default=None, description="Set when the action is created; cannot be changed."
    )
    type: str | None = strawberry.field(
        default=None,
        description="Set, like `owner`, when the action is created; can be changed only while the action "
        "has an `unknownType`. `actionType` is an alias of `type`, and `assignedTo` of `owner`.",
    )
    action_type: str | None = None
    owner: ActionOwner | None = None
    assigned_to: ActionOwner | None = None
    title: str | None = strawberry.UNSET
    description: str | None = strawberry.UNSET
    priority: str | None = strawberry.field(
        default=strawberry.UNSET, description="low, medium, high, critical or 1–4; null means medium."
    )
    effort: float | None = strawberry.field(
        default=strawberry.UNSET, description="Above 0; without a value it counts as 1."
    )
    due_at: datetime | None = strawberry.UNSET
    blocking: bool | None = strawberry.UNSET
    requires_confirmation: bool | None = strawberry.UNSET
    auto_complete: bool | None = strawberry.UNSET
    evidence_refs: list[str] | None = strawberry.field(
        default=strawberry.UNSET, description="The complete new list; it replaces the present one."
    )
    metadata: JSON | None = strawberry.field(
        default=strawberry.UNSET, description="The complete new object; it replaces the present one."
    )
    result: JSON | None = strawberry.field(
        default=strawberry.UNSET,
        description="The result of an existing action. If the action has `autoComplete`, an agent's result "
        "completes an action that the agent has started.",
    )
    expected_version: int | None = version_field()

    def entry(self, path: str) -> ActionUpsert:
        """Return the entry; raise `InvalidInput` for values of the wrong form."""
        refs = self.evidence_refs
        values: dict[str, Any] = {
            "title": self.title,
            "description": self.description,
            "priority": self.priority,
            "effort": self.effort,
            "due_at": self.due_at,
            "blocking": self.blocking,
            "requires_confirmation": self.requires_confirmation,
            "auto_complete": self.auto_complete,
            "evidence_refs": tuple(refs) if refs else refs,
            "metadata": self.metadata,
        }
        given = {name: value for name, value in values.items() if value is not strawberry.UNSET}
        first = {
            "type": one_of_two(self.type, self.action_type, f"{path}.actionType"),
            "owner": one_of_two(self.owner, self.assigned_to, f"{path}.assignedTo"),
            "client_key": self.client_key,
        }
        result = {} if self.result is strawberry.UNSET else {"result": self.result}
        return ActionUpsert(
            uid=self.id,
            expected_version=self.expected_version,
            goal_id=self.goal_id,
            draft=draft(
                PendingActionDraft, {**first, **{n: v for n, v in given.items() if v is not None}}, path
            ),
            changes=draft(PendingActionChanges, {**given, **result}, path),
        )

    def spellings(self, path: str) -> dict[str, str]:
        """Return the fields that the client gave under an alias, as a map from field to alias."""
        found: dict[str, str] = {}
        if self.type is None and self.action_type is not None:
            found[f"{path}.type"] = f"{path}.actionType"
        if self.owner is None and self.assigned_to is not None:
            found[f"{path}.owner"] = f"{path}.assignedTo"
        return found


@strawberry.input(description="Up to 100 pending actions to create or to change.")
class UpsertPendingActionsInput:
    """The input of `upsertPendingActions`."""

    actions: list[PendingActionUpsertInput]
    space: strawberry.ID | None = space_field()
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()

    def entries(self) -> list[ActionUpsert]:
        """Return the entries; raise `InvalidInput` for values of the wrong form."""
        return each(self.actions, "actions", PendingActionUpsertInput.entry)

    def spellings(self) -> dict[str, str]:
        """Return the fields that the client gave under an alias, as a map from field to alias."""
        found: dict[str, str] = {}
        for number, action in enumerate(self.actions):
            found |= action.spellings(f"actions[{number}]")
        return found


@strawberry.type(name="PendingActionUpsertResult", description="The result of one entry.")
class UpsertResultType:
    """The result of one entry."""

    action: PendingActionType | None = strawberry.field(description="Null if there is a problem.")
    created: bool = strawberry.field(description="True if it was created, false if it was changed.")
    problem: Problem | None = strawberry.field(description="The reason why the entry was not applied.")

    @classmethod
    def from_record(cls, r: UpsertResult) -> UpsertResultType:
        """Return the type of a record."""
        return cls(
            action=PendingActionType.from_record(r.action) if r.action else None,
            created=r.created,
            problem=problem_type(r.problem) if r.problem else None,
        )


@strawberry.type(description="The result of each entry, in the order of the input.")
class UpsertPendingActionsPayload:
    """The result of `upsertPendingActions`."""

    ok: bool = strawberry.field(description="Whether every entry was applied.")
    results: list[UpsertResultType]


def problem_type(p: EntryProblem) -> Problem:
    """Return the type of a record."""
    details = [ProblemDetail(code=d.code, message=d.message, field=d.field) for d in p.problems]
    return Problem(code=p.code, message=p.message, field=p.field, problems=details)
