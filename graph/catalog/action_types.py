"""Action types: what one file of `registry/action_types/` may say, and the types that are in force.

No code asks for a type by its id. What a type does differently it says in these keys, so a new type is a
new file:

    default_policies      what an action takes when it says nothing itself
    allowed_statuses      the first is where an action starts
    allowed_transitions   from each status to which; `completed` and `cancelled` are the ends
    policy_handlers       names out of `EscalationHandler` and `CompletionGuard`, nothing else
    deprecation_status    with `replaced_by`, `note` and `block_new`: how a type is retired
    rollout_flag          the type is unknown until `actions.yaml` names the flag
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from graph.catalog.table import Name, Table

COMPLETED = "completed"
CANCELLED = "cancelled"
STARTED = "in_progress"
"""The status of an action that is being carried out; a type may do without it."""

CLOSED = frozenset({COMPLETED, CANCELLED})

_TIME = r"T([0-9]{1,4}H([0-9]{1,4}M)?([0-9]{1,4}S)?|[0-9]{1,4}M([0-9]{1,4}S)?|[0-9]{1,4}S)"
_PART = re.compile(r"([0-9]+)([DHMS])")
_UNITS = {"D": "days", "H": "hours", "M": "minutes", "S": "seconds"}
Duration = Annotated[str, Field(pattern=rf"^P([0-9]{{1,4}}D({_TIME})?|{_TIME})$")]


class EscalationHandler(StrEnum):
    """What happens to an action that is overdue."""

    NOTIFY = "notify"
    RAISE_PRIORITY = "raise_priority"


class CompletionGuard(StrEnum):
    """What stands before the end of an action."""

    CHOICE_REQUIRED = "choice_required"
    APPROVAL_REQUIRED = "approval_required"


class Deprecation(StrEnum):
    """Whether a type is meant for new actions."""

    ACTIVE = "active"
    DEPRECATED = "deprecated"


class EscalationTable(Table):
    """`default_policies.escalation`: when an open action is overdue, and what happens then."""

    after: Annotated[Duration, Field(description="ISO 8601, counted from the due time.")] = "PT0S"
    policy: Annotated[
        Literal["notify", "raise_priority"], Field(description="The handler that is carried out.")
    ] = "notify"

    @property
    def delay(self) -> timedelta:
        """How long after its due time an action escalates."""
        return timedelta(**{_UNITS[unit]: int(number) for number, unit in _PART.findall(self.after)})


class PolicyTable(Table):
    """`default_policies`: what an action takes from its type."""

    requires_confirmation: Annotated[
        bool, Field(description="It is not completed before somebody confirmed it.")
    ] = False
    auto_complete: Annotated[
        bool, Field(description="The result of the agent that carries it out completes it.")
    ] = False
    escalation: EscalationTable | None = None
    blocking: Annotated[
        bool, Field(description="While it is open, the other actions of its goal are not started.")
    ] = False


class HandlerTable(Table):
    """`policy_handlers`: which of the generic handlers apply."""

    escalation: Annotated[
        Literal["notify", "raise_priority"] | None, Field(description="The same as escalation.policy.")
    ] = None
    completion_guard: Annotated[
        Literal["choice_required", "approval_required"] | None,
        Field(
            description="choice_required: completing names one of metadata.options. "
            "approval_required: nothing starts or completes before a recorded confirmation."
        ),
    ] = None


class ActionType(Table):
    """One file of `registry/action_types/`: a kind of pending action (source 003, §Data Model)."""

    id: Annotated[Name, Field(description="The file's name; never changed and never deleted.")]
    display_name: Annotated[str, Field(min_length=1, max_length=100)]
    description: str = ""
    allowed_owners: Annotated[
        tuple[Literal["agent", "user"], ...],
        Field(min_length=1, description="The first owns what names no owner."),
    ]
    default_policies: PolicyTable = PolicyTable()
    allowed_statuses: Annotated[
        tuple[Name, ...], Field(min_length=2, description="The first is where an action starts.")
    ]
    allowed_transitions: Annotated[
        Mapping[Name, tuple[Name, ...]], Field(description="From each status to which others.")
    ]
    policy_handlers: HandlerTable = HandlerTable()
    deprecation_status: Literal["active", "deprecated"] = "active"
    replaced_by: Annotated[
        Name | None, Field(description="The type that new actions get instead of a deprecated one.")
    ] = None
    note: Annotated[str | None, Field(description="What to do instead, for people.")] = None
    block_new: Annotated[bool, Field(description="A deprecated type takes no new actions.")] = False
    rollout_flag: Annotated[
        Name | None, Field(description="Unknown to new actions until actions.yaml names this flag.")
    ] = None

    @model_validator(mode="after")
    def statuses_fit(self) -> Self:
        """Refuse statuses that are named twice, not allowed, or lead nowhere."""
        allowed = set(self.allowed_statuses)
        if len(allowed) != len(self.allowed_statuses) or len({*self.allowed_owners}) != len(
            self.allowed_owners
        ):
            raise ValueError("allowed_statuses and allowed_owners name each entry once")
        named = {*self.allowed_transitions}.union(*self.allowed_transitions.values())
        if named - allowed:
            raise ValueError(f"allowed_transitions: not in allowed_statuses: {sorted(named - allowed)}")
        if COMPLETED not in allowed:
            raise ValueError("allowed_statuses must hold 'completed'")
        if self.initial_status in CLOSED:
            raise ValueError(f"allowed_statuses must not begin with {self.initial_status!r}")
        for status in self.allowed_statuses:
            if (status in CLOSED) == bool(self.ways_from(status)):
                lack = "must not lead on" if status in CLOSED else "leads nowhere"
                raise ValueError(f"allowed_transitions: {status!r} {lack}")
        return self

    @model_validator(mode="after")
    def policies_fit(self) -> Self:
        """Refuse policies that contradict each other."""
        escalation = self.default_policies.escalation
        handler = self.policy_handlers.escalation
        if handler is not None and (escalation is None or escalation.policy != handler):
            raise ValueError("policy_handlers.escalation must be default_policies.escalation.policy")
        if (self.replaced_by is not None or self.block_new) and not self.deprecated:
            raise ValueError("replaced_by and block_new are for a deprecated type")
        return self

    @property
    def initial_status(self) -> str:
        """The status a new action of this type has: the first of the list."""
        return self.allowed_statuses[0]

    @property
    def deprecated(self) -> bool:
        """Whether it is not meant for new actions any more."""
        return self.deprecation_status == "deprecated"

    def ways_from(self, status: str) -> tuple[str, ...]:
        """Return the statuses that an action may go to from `status`."""
        return self.allowed_transitions.get(status, ())


class ActionsTable(Table):
    """`actions.yaml`: what holds for actions of every type."""

    safe_type: Name
    rollout_flags: tuple[Name, ...] = ()
    default_effort: Annotated[float, Field(gt=0, allow_inf_nan=False)]


class ActionTypes(Mapping[str, ActionType]):
    """The types in force, by id. The one part of the registry that is exchanged while the service runs."""

    def __init__(self, types: Mapping[str, ActionType], table: ActionsTable) -> None:
        """Take the types, the safe one among them, and what holds for all."""
        self._types: Mapping[str, ActionType] = dict(types)
        self.table = table

    def __getitem__(self, name: str) -> ActionType:
        """Return a type, staged and deprecated ones included: actions that have it go on."""
        return self._types[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids."""
        return iter(self._types)

    def __len__(self) -> int:
        """Return the number of types."""
        return len(self._types)

    @property
    def safe(self) -> ActionType:
        """The type that an action of an unknown type gets."""
        return self._types[self.table.safe_type]

    def for_new(self, name: str | None) -> ActionType | None:
        """Return the type that a new action gets which asks for `name`, or None for an unknown one.

        A staged type is unknown while its flag is off; a deprecated one with a successor gives that.
        """
        found = self._types.get(name or "")
        if found is None or (
            found.rollout_flag is not None and found.rollout_flag not in self.table.rollout_flags
        ):
            return None
        return self.for_new(found.replaced_by) if found.replaced_by is not None else found

    def take(self, other: ActionTypes) -> None:
        """Put other types in force, all at once."""
        self._types, self.table = other._types, other.table

    def snapshot(self) -> ActionTypes:
        """Return the types as they are now, whatever is put in force later."""
        return ActionTypes(self._types, self.table)
