"""Action types: what one file of `registry/action_types/` may say, and the types that are in force.

No code asks for a type by its id. What a type does differently it says in these keys, so a new type is a
new file:

    default_policies      what an action takes when it says nothing itself
    allowed_statuses      the first is where an action starts
    allowed_transitions   from each status to which; `completed` and `cancelled` are the ends
    former_statuses       what an action counts as whose status the type does not have any more
    policy_handlers       names out of `EscalationHandler`, `CompletionGuard` and `DueHandler`, nothing else
    deprecation_status    with `replaced_by`, `note` and `block_new`: how a type is retired
    fixtures              short lives of an action, which a check plays
    rollout_flag          the type is unknown until `actions.yaml` names the flag, for all or one organisation
    draft                 of a file alone: it is checked and listed, and no server loads it
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from prefrontal.graph.config.table import Name, Table

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
    HAND_TO_USER = "hand_to_user"
    ASK_QUESTION = "ask_question"


class CompletionGuard(StrEnum):
    """What stands before the end of an action."""

    CHOICE_REQUIRED = "choice_required"
    APPROVAL_REQUIRED = "approval_required"


class DueHandler(StrEnum):
    """What makes an action due besides its due time."""

    AFTER_EVENT = "after_event"


class Deprecation(StrEnum):
    """Whether a type is meant for new actions."""

    ACTIVE = "active"
    DEPRECATED = "deprecated"


class EscalationTable(Table):
    """`default_policies.escalation`: when an open action is overdue, and what happens then."""

    after: Annotated[Duration, Field(description="ISO 8601, counted from the due time.")] = "PT0S"
    policy: Annotated[
        Literal["notify", "raise_priority", "hand_to_user", "ask_question"],
        Field(
            description="The handler that is carried out. notify: an event, which every one gives. "
            "raise_priority: one step up. hand_to_user: the user owns it from then on. "
            "ask_question: the user is asked how it shall go on."
        ),
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
        Literal["notify", "raise_priority", "hand_to_user", "ask_question"] | None,
        Field(description="The same as escalation.policy."),
    ] = None
    completion_guard: Annotated[
        Literal["choice_required", "approval_required"] | None,
        Field(
            description="choice_required: completing names one of metadata.options. "
            "approval_required: nothing starts or completes before a recorded confirmation."
        ),
    ] = None
    due: Annotated[
        Literal["after_event"] | None,
        Field(description="after_event: it is due when the event of metadata.event has happened."),
    ] = None


class FixtureStart(Table):
    """What a new action of the type is to be; what is left out does not matter."""

    status: Name | None = None
    owner: Literal["agent", "user"] | None = None
    requires_confirmation: bool | None = None
    auto_complete: bool | None = None
    blocking: bool | None = None


class FixtureStep(Table):
    """Something that somebody does with the action, and what is to come of it."""

    by: Literal["agent", "user"] = "agent"
    to: Annotated[Name | None, Field(description="The status it is put into.")] = None
    confirms: Annotated[bool, Field(description="It is confirmed instead.")] = False
    choice: str | None = None
    refused: Annotated[
        Name | None, Field(description="The code of the refusal, e.g. owner_violation; else it succeeds.")
    ] = None

    @model_validator(mode="after")
    def one_of_two(self) -> Self:
        """Refuse a step that does nothing, or two things."""
        if (self.to is None) != self.confirms:
            raise ValueError("a step says either `to` or `confirms`")
        return self


class TypeFixture(Table):
    """A short life of an action, as the type wants it; `prefrontal registry check` plays it."""

    name: Annotated[str, Field(min_length=1)]
    owner: Annotated[Literal["agent", "user"] | None, Field(description="Who is asked for.")] = None
    metadata: Mapping[str, Any] = {}
    starts: FixtureStart = FixtureStart()
    steps: tuple[FixtureStep, ...] = ()


class ActionType(Table):
    """What a file of `registry/action_types/` says: a kind of pending action (source 003, §Data Model)."""

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
    former_statuses: Annotated[
        Mapping[Name, Name],
        Field(description="Statuses that it had once, and what actions that still have one count as."),
    ] = {}
    deprecation_status: Literal["active", "deprecated"] = "active"
    replaced_by: Annotated[
        Name | None, Field(description="The type that new actions get instead of a deprecated one.")
    ] = None
    note: Annotated[str | None, Field(description="What to do instead, for people.")] = None
    block_new: Annotated[bool, Field(description="A deprecated type takes no new actions.")] = False
    rollout_flag: Annotated[
        Name | None, Field(description="Unknown to new actions until actions.yaml names this flag.")
    ] = None
    fixtures: Annotated[
        tuple[TypeFixture, ...], Field(description="What the type is to do, played by `registry check`.")
    ] = ()

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
        for former, now in self.former_statuses.items():
            if former in allowed or former in CLOSED:
                raise ValueError(f"former_statuses: {former!r} is not one that it lost")
            if now not in allowed or now in CLOSED:
                raise ValueError(f"former_statuses: {now!r} is not an open one of allowed_statuses")
        return self

    @model_validator(mode="after")
    def policies_fit(self) -> Self:
        """Refuse policies that contradict each other."""
        escalation = self.default_policies.escalation
        handler = self.policy_handlers.escalation
        if handler is not None and (escalation is None or escalation.policy != handler):
            raise ValueError("policy_handlers.escalation must be default_policies.escalation.policy")
        if (
            escalation is not None
            and escalation.policy == "hand_to_user"
            and "user" not in self.allowed_owners
        ):
            raise ValueError("escalation: hand_to_user needs 'user' in allowed_owners")
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

    def loses(self, after: ActionType) -> tuple[str, ...]:
        """Return the open statuses that a later definition has no more, and does not say what they became."""
        had = {*self.allowed_statuses, *self.former_statuses}
        return tuple(sorted(had - {*after.allowed_statuses, *after.former_statuses} - CLOSED))

    def ways_from(self, status: str) -> tuple[str, ...]:
        """Return the statuses that an action may go to from `status`."""
        if status in self.former_statuses:
            # It may also be called by its new name.
            now = self.former_statuses[status]
            return (now, *self.allowed_transitions.get(now, ()))
        return self.allowed_transitions.get(status, ())


class ActionTypeFile(ActionType):
    """One file of `registry/action_types/`: a kind of pending action, in force or still a draft."""

    draft: Annotated[
        bool,
        Field(
            description="It is checked and listed, and not in force: no server loads it, and it may be "
            "changed or deleted freely. Taken out, the type is there for good."
        ),
    ] = False

    @property
    def type(self) -> ActionType:
        """The type that it says."""
        return ActionType.model_validate({name: value for name, value in self if name != "draft"})


class ActionsTable(Table):
    """`actions.yaml`: what holds for actions of every type."""

    safe_type: Name
    rollout_flags: tuple[Name, ...] = ()
    rollout_by_organisation: Mapping[str, tuple[Name, ...]] = {}
    default_effort: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    ranked: Annotated[int, Field(ge=1, le=1000)] = 200
    counted_types: Annotated[tuple[Name, ...], Field(max_length=200)] = ()

    def flags_of(self, org_key: str | None) -> frozenset[str]:
        """Return the rollout flags that are on for an organisation; those of everybody for None."""
        return frozenset((*self.rollout_flags, *self.rollout_by_organisation.get(org_key or "", ())))


class TypeSource(StrEnum):
    """Where a type in force comes from."""

    FILE = "file"
    OVERRIDE = "override"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a type in force comes from, and since when new actions can have it."""

    source: TypeSource = TypeSource.FILE
    version: int | None = None
    since: datetime | None = None
    """None when it was there before this process began."""
    replaced: ActionType | None = None
    """The file's entry that an override stands before."""


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """Everything that is exchanged at once."""

    types: Mapping[str, ActionType]
    table: ActionsTable
    since: Mapping[tuple[str | None, str], datetime | None] = field(default_factory=dict)
    """When a type came into use while the process ran, by organisation that has flags of its own, or None."""


class ActionTypes(Mapping[str, ActionType]):
    """The types in force, by id. The one part of the registry that is exchanged while the service runs."""

    def __init__(
        self,
        types: Mapping[str, ActionType],
        table: ActionsTable,
        *,
        origins: Mapping[str, Origin] | None = None,
        too_new: frozenset[str] = frozenset(),
    ) -> None:
        """Take the types, the safe one among them, and what holds for all.

        Args:
            types: The types by id.
            table: What holds for actions of every type; its `rollout_flags` are on.
            origins: Where they come from; what is left out comes from a file.
            too_new: Types that new actions cannot have yet.
        """
        self._held = _Snapshot(dict(types), table)
        self._origins = origins or {}
        self._too_new = too_new

    @property
    def table(self) -> ActionsTable:
        """What holds for actions of every type."""
        return self._held.table

    @property
    def state(self) -> object:
        """Something that is another one after each exchange, for whoever keeps what was made of the types."""
        return self._held

    def __getitem__(self, name: str) -> ActionType:
        """Return a type, staged and deprecated ones included: actions that have it go on."""
        return self._held.types[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids."""
        return iter(self._held.types)

    def __len__(self) -> int:
        """Return the number of types."""
        return len(self._held.types)

    def is_counted(self, name: str) -> bool:
        """Tell whether metrics name a type: one of the files, or one that `actions.yaml` names for that."""
        held = self._held
        return name in held.types or name in held.table.counted_types

    @property
    def safe(self) -> ActionType:
        """The type that an action of an unknown type gets."""
        return self[self.table.safe_type]

    def origin(self, name: str) -> Origin:
        """Return where a type comes from."""
        return self._origins.get(name) or Origin()

    def for_new(self, name: str | None) -> ActionType | None:
        """Return the type that a new action gets which asks for `name`, or None for an unknown one.

        A staged type is unknown while its flag is off, and a new one in a turn that began before it; a
        deprecated one with a successor gives that, unless it takes no new actions at all.
        """
        held, passed = self._held, set[str]()
        found = held.types.get(name or "")
        while found is not None and self._is_open(found, held):
            if found.replaced_by is None or found.block_new or found.id in passed:
                return found
            passed.add(found.id)
            found = held.types.get(found.replaced_by)
        return None

    def since(self, name: str | None) -> datetime | None:
        """Return when a type of that name, or its successor, came into use while processes ran."""
        found = self.for_new(name)
        return None if found is None else self.origin(found.id).since

    def at(self, began: datetime) -> ActionTypes:
        """Return the types as a turn sees them that began then: what came into use later is unknown.

        So is what came into use at that very moment: it was registered in the turn that began with it.
        """
        late = frozenset(name for name in self if (since := self.origin(name).since) and since >= began)
        if not late:
            return self
        return ActionTypes(self._held.types, self.table, origins=self._origins, too_new=late)

    def _is_open(self, kind: ActionType, held: _Snapshot) -> bool:
        flag = kind.rollout_flag
        return kind.id not in self._too_new and (flag is None or flag in held.table.rollout_flags)

    def take(self, other: ActionTypes, at: datetime | None = None) -> None:
        """Put other types in force, all at once; `at` tells when, for turns that are under way."""
        old, table, types = self._held, other.table, other._held.types
        since: dict[tuple[str | None, str], datetime | None] = {}
        for key in (None, *table.rollout_by_organisation):
            known = key if key in old.table.rollout_by_organisation else None
            before = _released(old, key)
            for name in _released(other._held, key):
                since[key, name] = old.since.get((known, name)) if name in before else at
        self._held = _Snapshot(types, table, since)

    def snapshot(self, org_key: str | None = None) -> ActionTypes:
        """Return the types of the files as an organisation has them now, whatever is put in force later."""
        held = self._held
        table = held.table.model_copy(update={"rollout_flags": tuple(sorted(held.table.flags_of(org_key)))})
        own = org_key if org_key in held.table.rollout_by_organisation else None
        dated = {name: at for (key, name), at in held.since.items() if key == own and at is not None}
        return ActionTypes(
            held.types,
            table,
            origins={**self._origins, **{name: Origin(since=at) for name, at in dated.items()}},
        )


def may_be_safe(kind: ActionType | None) -> bool:
    """Tell whether actions of unknown types may become this one: active, in use, and a user may own it."""
    return (
        kind is not None and "user" in kind.allowed_owners and not kind.rollout_flag and not kind.deprecated
    )


def _released(held: _Snapshot, org_key: str | None) -> set[str]:
    flags = held.table.flags_of(org_key)
    return {name for name, kind in held.types.items() if not kind.rollout_flag or kind.rollout_flag in flags}
