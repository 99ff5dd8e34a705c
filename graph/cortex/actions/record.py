"""Value types of pending actions (source 003, §Data Model)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import AwareDatetime, Field

from prefrontal.graph.journal.command import ChangeCommand, ChangeEntry, TurnCommand, expected_version, space
from prefrontal.graph.record import (
    Alias,
    Id,
    Identifier,
    Key,
    Limit,
    OneByOne,
    Priority,
    Record,
    Text,
    Title,
    contained_words,
)
from prefrontal.graph.registry.overrides.record import TypeWarning


class ActionOwner(StrEnum):
    """Who carries out an action."""

    AGENT = "agent"
    USER = "user"


LEAST_EFFORT, MOST_EFFORT = 1e-300, 1e300
"""The bounds of an effort. A priority divided by an effort between them is an ordinary number, so that the
order by utility has no infinity at its top.
"""

Data = Annotated[dict[str, Any], Limit("metadata_characters")]
_Name = Annotated[str, Limit("key_characters", may_be_empty=True)]
_Names = Annotated[tuple[Key, ...], Limit("list_items")]
EvidenceRefs = Annotated[tuple[Title, ...], Limit("list_items")]


class ActionFields(Record):
    """The fields that a new action and a change of an action have in common."""

    type: Annotated[_Name | None, Alias("action_type")] = None
    title: Title | None = None
    description: Text | None = None
    owner: Annotated[ActionOwner | None, Alias("assigned_to")] = None
    priority: Priority | None = None
    effort: Annotated[float, Field(ge=LEAST_EFFORT, le=MOST_EFFORT, allow_inf_nan=False)] | None = Field(
        default=None, description="Above 0, from 1e-300 to 1e300; without a value it counts as 1."
    )
    due_at: AwareDatetime | None = None
    person: Key | None = Field(
        default=None,
        description="The key of the person who has to do it, for an action that a user owns. Default: the "
        "person of the token, else the one whose goal it is for, else the one whose private space it is in.",
    )
    blocking: bool | None = None
    requires_confirmation: bool | None = None
    auto_complete: bool | None = None
    metadata: Data | None = None


class PendingActionDraft(ActionFields):
    """A pending action to create. `actionType` is an alias of `type`, and `assignedTo` of `owner`.

    It needs a type, and a title or a description.
    """

    title: Title | None = Field(default=None, description="Default: the first line of `description`.")
    priority: Priority | None = Field(default=None, description="low, medium, high, critical or 1–4.")
    evidence_refs: EvidenceRefs = ()


class PendingActionUpsert(ActionFields):
    """A pending action to create or to change. An omitted field keeps its value, or gets its default in a
    new action; null clears the field, or sets its default if it must have a value.
    """  # noqa: D205 - clients read the whole text

    id: Id | None = Field(default=None, description="The action to change.")
    client_key: Key | None = Field(
        default=None,
        description="Your own name for the action, instead of `id`; unique in a space. The action with "
        "this name is changed, or created if there is none.",
    )
    title: Title | None = Field(
        default=None, description="Default, and what null sets: the first line of `description`."
    )
    goal_id: Id | None = Field(default=None, description="Set when the action is created; cannot be changed.")
    type: Annotated[_Name | None, Alias("action_type")] = Field(
        default=None,
        description="Set, like `owner`, when the action is created; can be changed only while the action "
        "has an `unknownType`. `actionType` is an alias of `type`, and `assignedTo` of `owner`.",
    )
    priority: Priority | None = Field(
        default=None, description="low, medium, high, critical or 1–4; null means medium."
    )
    evidence_refs: EvidenceRefs | None = Field(
        default=None, description="The complete new list; it replaces the present one."
    )
    metadata: Data | None = Field(
        default=None, description="The complete new object; it replaces the present one."
    )
    result: Data | None = Field(
        default=None,
        description="The result of an existing action. If the action has `autoComplete`, an agent's result "
        "completes an action that the agent has started, unless it says that the action failed.",
    )
    expected_version: int | None = expected_version()


class UpsertPendingActions(TurnCommand):
    """Up to 100 pending actions to create or to change."""

    actions: Annotated[tuple[PendingActionUpsert, ...], Limit("actions_per_goal"), OneByOne()]
    space: Id | None = space()


class ActionOutcome(Record):
    """What a change of an action's status reports."""

    result: Data | None = Field(
        default=None,
        description="The result of the action, a JSON object. A result that says that the action failed "
        "does not complete it: `ok`, `success` or `succeeded` is false; `failed` or `failure` is true; "
        "`status` or `outcome` is failed, failure or error; or there is an `error`. The action keeps the "
        "result and gets the `failureStatus` of its type.",
    )
    choice: Annotated[str, Limit("description_characters")] | None = Field(
        default=None, description="The chosen entry of `metadata.options`."
    )
    expected_version: int | None = expected_version()


class ActionTransition(ActionOutcome, ChangeEntry):
    """A pending action and its new status."""

    status: Key = Field(description="One of the type's `allowedStatuses`.")


class TransitionPendingAction(ActionTransition, ChangeCommand):
    """A pending action and its new status."""


class TransitionPendingActions(TurnCommand):
    """Up to 100 pending actions to give another status, in their order: all or none."""

    actions: Annotated[tuple[ActionTransition, ...], Limit("changes_per_call")]


class CompletePendingAction(ActionOutcome, ChangeCommand):
    """A pending action to complete."""


class ConfirmPendingAction(ChangeCommand):
    """A pending action to confirm."""


class ActionDone(ActionOutcome):
    """A reported completion: the action (by id or by the client's own key) and its result."""

    id: Id | None = None
    client_key: str | None = None


class Blocker(Record):
    """An open blocking action of a goal."""

    uid: str
    for_person: bool
    """Whether it waits for a person: a user owns it, or must confirm it."""


class Holds(Record):
    """What holds the actions of a goal back; nothing without a goal."""

    goal_status: str | None = None
    goal_ended: bool = False
    goal_blocked: bool = False
    """Whether the status of the goal is `blocked`."""
    goal_forbidden: bool = False
    """Whether a mandate blocks the goal."""
    blockers: tuple[Blocker, ...] = ()
    """In order of creation."""


class ActionMove(Record):
    """A requested change of an action's status."""

    to: str
    result: dict[str, Any] | None = None
    choice: str | None = None
    by_user: bool
    by_uid: str
    holds: Holds = Holds()
    taken_by: str = "somebody"
    """Who has the action in progress, and since when."""
    field: str = "status"
    """The input field that an error about the status names; the id if the input has no status field."""


class PendingAction(Record):
    """A stored pending action."""

    uid: str
    scope_id: str
    goal_id: str | None
    type: str
    title: str
    description: str | None
    owner: ActionOwner
    person_id: str | None
    """The person whose action it is, if a user owns it and a person is known."""
    priority: str
    priority_rank: int
    effort: float | None
    status: str
    due_at: datetime | None
    blocking: bool
    requires_confirmation: bool
    confirmation_requested: bool
    """Whether somebody asked for the confirmation by name: it stays, whatever type the action gets."""
    auto_complete: bool
    density: float
    """Priority divided by effort; the first criterion of the order by utility."""
    evidence_refs: tuple[str, ...]
    confirmed_by: str | None
    confirmed_at: datetime | None
    result: dict[str, Any] | None
    completed_at: datetime | None
    archived_at: datetime | None
    """When the action was archived; from then on lists of pending actions leave it out."""
    escalated_at: datetime | None
    """When the action last escalated because it was overdue."""
    event_at: datetime | None
    """When the awaited event happened."""
    client_key: str | None
    metadata: dict[str, Any]
    created_from_turn_id: str | None
    created_at: datetime
    updated_at: datetime
    by_uid: str
    version: int

    @property
    def original_type(self) -> str | None:
        """The unknown type that the client asked for, if the action became a user task instead; else None."""
        value = self.metadata.get("original_type")
        return str(value) if value is not None else None


class ActionOrder(StrEnum):
    """The order of a list of actions."""

    UTILITY = "utility"
    DUE_AT = "due_at"


class ActionFilter(Record):
    """Conditions on pending actions; all given conditions must hold."""

    owner: ActionOwner | None = None
    status: _Names | None = Field(
        default=None, description="Any of these; default: all but completed and cancelled."
    )
    type: _Names | None = Field(default=None, description="Any of these types.")
    goal_id: Annotated[_Name, Identifier()] | None = None
    space: Annotated[_Name, Identifier()] | None = None
    due_after: AwareDatetime | None = Field(
        default=None, description="Due at this time or later; excludes actions without a due time."
    )
    due_before: AwareDatetime | None = Field(default=None, description="Due before this time.")
    overdue: bool | None = Field(
        default=None,
        description="True: only actions with `overdue`, which are open and whose due time has passed; false: "
        "only the others.",
    )
    text: Title | None = contained_words()
    client_key: Key | None = Field(default=None, description="Your own name for the action.")
    blocking: bool | None = None
    mine: bool | None = Field(
        default=None,
        description="True: only the actions of the person that your token names.",
    )
    blocked: bool | None = Field(
        default=None,
        description="True: only actions with `isBlocked`, which cannot be started because of their goal; "
        "false: only the others.",
    )


class MovedAction(Record):
    """An action after a transition or a completion."""

    action: PendingAction
    repeated: bool
    """Whether the action had the status already: then it has the result of the first call."""


class EntryProblem(Record):
    """Why an entry was not applied; the same fields as a GraphQL `Problem`."""

    code: str
    message: str
    field: str | None
    problems: tuple[EntryProblem, ...] = ()

    def respelled(self, names: Mapping[str, str]) -> EntryProblem:
        """Return the problem with other names for its fields, where `names` has some."""
        problems = tuple(problem.respelled(names) for problem in self.problems)
        field = names.get(self.field or "", self.field)
        return self.model_copy(update={"field": field, "problems": problems})


class EntryResult(Record):
    """The result of an entry that is applied separately; a refused one has a problem."""

    problem: EntryProblem | None = None

    def respelled(self, names: Mapping[str, str]) -> Self:
        """Return the result with other names for the fields of its problem, where `names` has some."""
        if self.problem is None:
            return self
        return self.model_copy(update={"problem": self.problem.respelled(names)})


class ActionRange(Record):
    """One range of the index of actions: a space, open or closed, and an owner."""

    scope_id: str
    open: bool
    owner: ActionOwner


class MigrationPlan(Record):
    """What a migration of actions from one type to another would do, and the reasons why it cannot run."""

    moves: dict[str, int]
    """Number of actions by change of status, as `old → new`."""
    reasons: dict[str, int]
    """Number of actions by the reason why they cannot be migrated."""

    @property
    def total(self) -> int:
        """The number of actions that would be migrated."""
        return sum(self.moves.values())


class UpsertResult(EntryResult):
    """The result of one entry of an upsert."""

    action: PendingAction | None
    created: bool
    warnings: tuple[TypeWarning, ...] = ()
