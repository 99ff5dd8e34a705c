"""Action types: the schema of the files in `registry/action_types/`, and the table of the types in force.

No code checks for a type by its id. Everything that distinguishes a type is in these keys, so a new type is a
new file. A file may leave out what all types have in common, see `prefrontal.graph.registry.format`:

    default_policies      what an action takes from its type when the client leaves it out
    allowed_statuses      the first one is the status of a new action
    allowed_transitions   the possible next statuses of each status; `completed` and `cancelled` are closed
    failure_status        where a result that says it failed leads; else the first status
    former_statuses       for statuses that the type has lost: the status that takes their place
    policy_handlers       names of `EscalationHandler`, `CompletionGuard` and `DueHandler`, nothing else
    deprecation_status    with `replaced_by`, `note` and `block_new`: how a type is retired
    fixtures              short scenarios that `prefrontal registry check` plays
    rollout_flag          the type is unknown until `actions.yaml` names the flag, for all or for one
                          organisation
    draft                 only in files: a draft is checked and listed, but no server loads it
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PrivateAttr, model_validator

from prefrontal.graph.config.table import Name, Table

COMPLETED = "completed"
CANCELLED = "cancelled"
STARTED = "in_progress"
"""The status of an action in progress; a type need not have it."""

CLOSED = frozenset({COMPLETED, CANCELLED})

_TIME = r"T([0-9]{1,4}H([0-9]{1,4}M)?([0-9]{1,4}S)?|[0-9]{1,4}M([0-9]{1,4}S)?|[0-9]{1,4}S)"
_PART = re.compile(r"([0-9]+)([DHMS])")
_UNITS = {"D": "days", "H": "hours", "M": "minutes", "S": "seconds"}
Duration = Annotated[str, Field(pattern=rf"^P([0-9]{{1,4}}D({_TIME})?|{_TIME})$")]


def time_of(duration: str) -> timedelta:
    return timedelta(**{_UNITS[unit]: int(number) for number, unit in _PART.findall(duration)})


class EscalationHandler(StrEnum):
    """What happens to an overdue action."""

    NOTIFY = "notify"
    RAISE_PRIORITY = "raise_priority"
    HAND_TO_USER = "hand_to_user"
    ASK_QUESTION = "ask_question"


class CompletionGuard(StrEnum):
    """What is required before an action can be completed."""

    CHOICE_REQUIRED = "choice_required"
    APPROVAL_REQUIRED = "approval_required"


class DueHandler(StrEnum):
    """What makes an action due besides its due time."""

    AFTER_EVENT = "after_event"


class Deprecation(StrEnum):
    """Whether new actions should have a type."""

    ACTIVE = "active"
    DEPRECATED = "deprecated"


class EscalationTable(Table):
    """`default_policies.escalation`: when an overdue open action escalates, and what happens then."""

    after: Annotated[Duration, Field(description="Delay after the due time, as an ISO 8601 duration.")] = (
        "PT0S"
    )
    policy: Annotated[
        Literal["notify", "raise_priority", "hand_to_user", "ask_question"],
        Field(
            description="The handler that runs. notify: only an event, as with every handler. "
            "raise_priority: the priority rises by one step. hand_to_user: the user becomes the owner. "
            "ask_question: a question asks the user how to continue."
        ),
    ] = "notify"

    @property
    def delay(self) -> timedelta:
        """How long after its due time an action escalates."""
        return time_of(self.after)


class PolicyTable(Table):
    """`default_policies`: what an action takes from its type when the client leaves it out."""

    requires_confirmation: Annotated[
        bool, Field(description="The action is completed only after a user has confirmed it.")
    ] = False
    auto_complete: Annotated[
        bool, Field(description="A result that the agent reports completes an action in progress.")
    ] = False
    escalation: EscalationTable | None = None
    blocking: Annotated[
        bool, Field(description="While the action is open, other actions of its goal cannot be started.")
    ] = False


class HandlerTable(Table):
    """`policy_handlers`: the generic handlers that apply to the type."""

    escalation: Annotated[
        Literal["notify", "raise_priority", "hand_to_user", "ask_question"] | None,
        Field(description="Must equal default_policies.escalation.policy."),
    ] = None
    completion_guard: Annotated[
        Literal["choice_required", "approval_required"] | None,
        Field(
            description="choice_required: completion names one of metadata.options. "
            "approval_required: the action is neither started nor completed before a confirmation."
        ),
    ] = None
    due: Annotated[
        Literal["after_event"] | None,
        Field(description="after_event: the action is due when the event of metadata.event has happened."),
    ] = None


class FixtureStart(Table):
    """The expected values of a new action of the type; a value left out is not checked."""

    status: Name | None = None
    owner: Literal["agent", "user"] | None = None
    requires_confirmation: bool | None = None
    auto_complete: bool | None = None
    blocking: bool | None = None


def _is_none(value: object) -> bool:
    return value is None


class FixtureStep(Table):
    """One step of a scenario: what an agent or a user does with the action, and the expected result."""

    by: Literal["agent", "user"] = "agent"
    to: Annotated[Name | None, Field(description="The status that the step sets.")] = None
    confirms: Annotated[
        bool, Field(description="The step confirms the action instead of setting a status.")
    ] = False
    choice: str | None = None
    refused: Annotated[
        Name | None,
        Field(description="The expected error code, e.g. owner_violation; without it the step succeeds."),
    ] = None
    reports: Annotated[
        Literal["done", "failed"] | None,
        Field(
            description="The result that the step reports, without setting a status; `becomes` has the "
            "expected status.",
            exclude_if=_is_none,
        ),
    ] = None
    becomes: Annotated[
        Name | None,
        Field(description="The expected status of the action after `reports`.", exclude_if=_is_none),
    ] = None
    overdue: Annotated[
        Duration | None,
        Field(
            description="So much time has passed since the action was due; `escalates` has the expected "
            "escalation.",
            exclude_if=_is_none,
        ),
    ] = None
    escalates: Annotated[
        Literal["notify", "raise_priority", "hand_to_user", "ask_question"] | None,
        Field(
            description="The escalation that happens now; without it `overdue` expects none.",
            exclude_if=_is_none,
        ),
    ] = None
    other: Annotated[
        Literal["in_progress", "completed"] | None,
        Field(
            description="The status that another action of the same goal is given, an agent's without "
            "special policies.",
            exclude_if=_is_none,
        ),
    ] = None

    @model_validator(mode="after")
    def one_of_five(self) -> Self:
        """Refuse a step that does nothing or several things, and an expectation of another step."""
        named = sum(each is not None for each in (self.to, self.reports, self.overdue, self.other))
        if named + self.confirms != 1:
            raise ValueError("a step needs one of `to`, `confirms`, `reports`, `overdue` and `other`")
        if (self.reports is None) != (self.becomes is None):
            raise ValueError("`reports` and `becomes` need each other")
        if self.escalates is not None and self.overdue is None:
            raise ValueError("`escalates` needs `overdue`")
        return self


class TypeFixture(Table):
    """A short scenario of an action of the type; `prefrontal registry check` plays it."""

    name: Annotated[str, Field(min_length=1)]
    owner: Annotated[Literal["agent", "user"] | None, Field(description="The requested owner.")] = None
    metadata: Mapping[str, Any] = {}
    starts: FixtureStart = FixtureStart()
    steps: tuple[FixtureStep, ...] = ()


class ActionType(Table):
    """A kind of pending action, as a file of `registry/action_types/` says (source 003, §Data Model)."""

    id: Annotated[Name, Field(description="The file's name without .yaml; never changed and never deleted.")]
    display_name: Annotated[str, Field(min_length=1, max_length=100)]
    description: str = ""
    allowed_owners: Annotated[
        tuple[Literal["agent", "user"], ...],
        Field(min_length=1, description="The first one is the default owner."),
    ]
    default_policies: PolicyTable = PolicyTable()
    allowed_statuses: Annotated[
        tuple[Name, ...], Field(min_length=2, description="The first one is the status of a new action.")
    ]
    allowed_transitions: Annotated[
        Mapping[Name, tuple[Name, ...]], Field(description="The possible next statuses of each status.")
    ]
    policy_handlers: HandlerTable = HandlerTable()
    failure_status: Annotated[
        Name | None,
        Field(
            description="The open status of an action after a result that says it failed; default: the first "
            "of allowed_statuses."
        ),
    ] = None
    former_statuses: Annotated[
        Mapping[Name, Name],
        Field(description="Statuses that the type has lost, each with the status that takes its place."),
    ] = {}
    deprecation_status: Literal["active", "deprecated"] = "active"
    replaced_by: Annotated[
        Name | None, Field(description="The type that new actions get instead of this deprecated one.")
    ] = None
    note: Annotated[
        str | None, Field(description="A hint for people what to use instead of a deprecated type.")
    ] = None
    block_new: Annotated[bool, Field(description="The deprecated type refuses new actions.")] = False
    rollout_flag: Annotated[
        Name | None, Field(description="New actions cannot have the type until actions.yaml names this flag.")
    ] = None
    fixtures: Annotated[
        tuple[TypeFixture, ...],
        Field(description="Scenarios of the type's behaviour, played by `prefrontal registry check`."),
    ] = ()
    # Not a key of a file: the service fills it in for actions that are in a status which the files dropped.
    _retired: Mapping[str, tuple[str, ...]] = PrivateAttr(default_factory=dict)

    @model_validator(mode="after")
    def statuses_fit(self) -> Self:
        """Refuse statuses that are named twice, are not allowed, or have no way out."""
        allowed = set(self.allowed_statuses)
        if len(allowed) != len(self.allowed_statuses) or len({*self.allowed_owners}) != len(
            self.allowed_owners
        ):
            raise ValueError("allowed_statuses and allowed_owners must name each entry once")
        named = {*self.allowed_transitions}.union(*self.allowed_transitions.values())
        if named - allowed:
            unknown = ", ".join(sorted(named - allowed))
            raise ValueError(f"allowed_transitions: not in allowed_statuses: {unknown}")
        if COMPLETED not in allowed:
            raise ValueError("allowed_statuses must hold completed")
        if self.initial_status in CLOSED:
            raise ValueError(f"allowed_statuses must not begin with {self.initial_status}")
        for status in self.allowed_statuses:
            if (status in CLOSED) == bool(self.ways_from(status)):
                lack = "is closed and must have no next status" if status in CLOSED else "has no next status"
                raise ValueError(f"allowed_transitions: {status} {lack}")
        for former, now in self.former_statuses.items():
            if former in allowed or former in CLOSED:
                raise ValueError(f"former_statuses: {former} is closed or still in allowed_statuses")
            if now not in allowed or now in CLOSED:
                raise ValueError(f"former_statuses: {now} is not an open status of allowed_statuses")
        return self

    @model_validator(mode="after")
    def failures_lead_on(self) -> Self:
        """Refuse a status after a failure that actions of the type cannot have, or that is closed."""
        if self.failure_status is not None and self.failure_status not in {*self.allowed_statuses} - CLOSED:
            raise ValueError(f"failure_status: {self.failure_status!r} is no open status of allowed_statuses")
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
            raise ValueError("escalation: hand_to_user needs user in allowed_owners")
        if (self.replaced_by is not None or self.block_new) and not self.deprecated:
            raise ValueError("replaced_by and block_new need deprecation_status: deprecated")
        return self

    @property
    def initial_status(self) -> str:
        """The status of a new action of this type: the first of `allowed_statuses`."""
        return self.allowed_statuses[0]

    @property
    def status_after_failure(self) -> str:
        """The status of an action after a result that says it failed."""
        return self.failure_status or self.initial_status

    @property
    def asks_for_approval(self) -> bool:
        """Whether actions of the type are neither started nor completed before a confirmation."""
        return self.policy_handlers.completion_guard == "approval_required"

    @property
    def asks_for_confirmation(self) -> bool:
        """Whether a new action of the type requires a confirmation, unless a person makes it without."""
        return self.default_policies.requires_confirmation or self.asks_for_approval

    @property
    def deprecated(self) -> bool:
        """Whether the type is no longer meant for new actions."""
        return self.deprecation_status == "deprecated"

    @property
    def retired_statuses(self) -> Mapping[str, tuple[str, ...]]:
        """Statuses that the files dropped, with their next statuses: no action enters one, each can leave."""
        return self._retired

    @property
    def known_statuses(self) -> frozenset[str]:
        """The statuses that an action of the type can have, the former and the retired ones included."""
        return frozenset((*self.allowed_statuses, *self.former_statuses, *self._retired))

    def loses(self, after: ActionType) -> tuple[str, ...]:
        """Return the open statuses that a later definition drops without naming their successors."""
        return tuple(sorted(self.known_statuses - after.known_statuses - CLOSED))

    def keeping(self, ways: Mapping[str, Iterable[str]]) -> ActionType:
        """Return the type with retired statuses; those that it has, or knows as former ones, are left out.

        Args:
            ways: The next statuses that each retired status had. Those that the type does not have are
                left out; if none remains, the status leads to the first status of the type.
        """
        left = {name: ways[name] for name in ways if not self.has(name)}
        known = {*self.allowed_statuses, *left}
        kept = {name: tuple(to for to in left[name] if to in known) for name in left}
        if kept == dict(self._retired):
            return self
        found = self.model_copy()
        found._retired = {  # noqa: SLF001 - a copy of the same class
            name: to if set(to) & set(self.allowed_statuses) else (self.initial_status, *to)
            for name, to in kept.items()
        }
        return found

    def has(self, status: str) -> bool:
        """Tell whether the definition itself has a status, as a present or a former one."""
        return status in self.allowed_statuses or status in self.former_statuses

    def withdrawn(self) -> ActionType:
        """Return the type as it is in force after its file is gone: for existing actions only."""
        return self.model_copy(
            update={
                "deprecation_status": "deprecated",
                "block_new": self.block_new or self.replaced_by is None,
                "note": self.note or "its file is gone from the registry",
            }
        )

    def ways_from(self, status: str) -> tuple[str, ...]:
        """Return the possible next statuses of `status`."""
        if status in self._retired:
            return self._retired[status]
        if status in self.former_statuses:
            # A lost status can also become its successor.
            now = self.former_statuses[status]
            return (now, *self.allowed_transitions.get(now, ()))
        return self.allowed_transitions.get(status, ())


class ActionTypeFile(ActionType):
    """One file of `registry/action_types/`: an action type, in force or still a draft."""

    draft: Annotated[
        bool,
        Field(
            description="A draft is checked and listed but not in force: no server loads it, and it may be "
            "changed or deleted freely. Once this key is removed, the type is permanent."
        ),
    ] = False

    @property
    def type(self) -> ActionType:
        """The action type that the file describes."""
        return ActionType.model_validate({name: value for name, value in self if name != "draft"})


class ActionsTable(Table):
    """`actions.yaml`: settings for actions of every type."""

    safe_type: Name
    rollout_flags: tuple[Name, ...] = ()
    rollout_by_organisation: Mapping[str, tuple[Name, ...]] = {}
    default_effort: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    ranked: Annotated[int, Field(ge=1, le=1000)] = 200
    counted_types: Annotated[tuple[Name, ...], Field(max_length=200)] = ()

    def flags_of(self, org_key: str | None) -> frozenset[str]:
        """Return the rollout flags that are on for an organisation; for None, those that are on for all."""
        return frozenset((*self.rollout_flags, *self.rollout_by_organisation.get(org_key or "", ())))


class TypeSource(StrEnum):
    """Where the definition of a type in force comes from."""

    FILE = "file"
    OVERRIDE = "override"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the definition of a type in force comes from.

    `since` tells since when new actions can have the type.
    """

    source: TypeSource = TypeSource.FILE
    version: int | None = None
    since: datetime | None = None
    """When new actions could first have the type; None if that was before the registry was recorded."""
    replaced: ActionType | None = None
    """The file's definition that an override replaces."""
    retired: bool = False
    """Whether the type's file is gone, so that the type is in force for existing actions only."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What the files of a registry said from a time on."""

    since: datetime | None
    """None: from the beginning, as far as anybody knows."""
    types: Mapping[str, ActionType]
    """The types in force by id, those included whose files are gone."""
    table: ActionsTable
    retired: frozenset[str] = frozenset()
    """The types whose files are gone."""
    versions: Mapping[str, int] = field(default_factory=dict)
    """The version of each definition; empty while the definitions are not recorded in the graph."""

    def usable(self, flags: frozenset[str]) -> frozenset[str]:
        """Return the ids of the types whose flag is on, or which have none."""
        return frozenset(
            name for name, kind in self.types.items() if not kind.rollout_flag or kind.rollout_flag in flags
        )


class ActionTypes(Mapping[str, ActionType]):
    """The types in force, by id: the part of the registry that can be replaced at run time.

    The types of files also know what the files said before, so that a turn sees one registry from its start
    to its end: see `at`.
    """

    def __init__(
        self,
        types: Mapping[str, ActionType],
        table: ActionsTable,
        *,
        origins: Mapping[str, Origin] | None = None,
        too_new: frozenset[str] = frozenset(),
    ) -> None:
        """Store the types and the settings for all types.

        Args:
            types: The types by id.
            table: The settings for actions of every type; its `rollout_flags` are on.
            origins: Where the types come from; a type that is left out comes from a file.
            too_new: Types that new actions cannot have yet.
        """
        self._moments: tuple[Moment, ...] = (Moment(None, dict(types), table),)
        self._loaded = self._moments[-1]
        self._origins = origins or {}
        self._too_new = too_new

    @property
    def table(self) -> ActionsTable:
        """The settings for actions of every type."""
        return self._moments[-1].table

    @property
    def moments(self) -> tuple[Moment, ...]:
        """What the files said, oldest first; the last one is in force.

        Every change replaces the tuple, so a cache built from the types compares it by identity.
        """
        return self._moments

    @property
    def loaded(self) -> Moment:
        """What the files say, without what is retired."""
        return self._loaded

    @property
    def retired(self) -> frozenset[str]:
        """The types whose files are gone."""
        return self._moments[-1].retired

    @property
    def known_statuses(self) -> frozenset[str]:
        """The statuses that an action of some type can have."""
        return CLOSED.union(*(kind.known_statuses for kind in self.values()))

    def __getitem__(self, name: str) -> ActionType:
        """Return a type by id, staged and deprecated types included: their existing actions continue."""
        return self._moments[-1].types[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids."""
        return iter(self._moments[-1].types)

    def __len__(self) -> int:
        """Return the number of types."""
        return len(self._moments[-1].types)

    def is_counted(self, name: str) -> bool:
        """Tell whether metrics show a type by name: a type of the files, or one named in `counted_types`."""
        held = self._moments[-1]
        return name in held.types or name in held.table.counted_types

    @property
    def safe(self) -> ActionType:
        """The type that an action of an unknown type gets."""
        return self[self.table.safe_type]

    def origin(self, name: str) -> Origin:
        """Return where the definition of a type comes from."""
        return self._origins.get(name) or Origin()

    def for_new(self, name: str | None) -> ActionType | None:
        """Return the type of a new action that asks for `name`, or None if the type is unknown.

        A staged type is unknown while its flag is off, and a new type in a turn that began before it. A
        deprecated type with a successor gives the successor, unless the type refuses new actions.
        """
        held, passed = self._moments[-1], set[str]()
        found = held.types.get(name or "")
        while found is not None and self._is_open(found, held):
            if found.replaced_by is None or found.block_new or found.id in passed:
                return found
            passed.add(found.id)
            found = held.types.get(found.replaced_by)
        return None

    def _is_open(self, kind: ActionType, held: Moment) -> bool:
        flag = kind.rollout_flag
        return kind.id not in self._too_new and (flag is None or flag in held.table.rollout_flags)

    def take(self, other: ActionTypes, at: datetime | None = None) -> None:
        """Put the types of other files in force, all at once.

        What the other files no longer have stays in force as retired. `at` is the time of the change, for
        turns that have begun already; None: there were none.
        """
        before = () if at is None else self._moments
        self.restore((*before, followed_by(self._moments[-1], other.moments[-1], at)))
        self._loaded = other.moments[-1]

    def restore(self, moments: Sequence[Moment]) -> None:
        """Put the last of some moments in force; the others are for turns that began before it."""
        self._moments = tuple(moments)

    def snapshot(self, org_key: str | None = None) -> ActionTypes:
        """Return the types of the files as an organisation has them now.

        A later `take` does not change the result.
        """
        return self._seen(self._moments, org_key)

    def snapshot_at(self, began: datetime, org_key: str | None = None) -> ActionTypes:
        """Return the types of the files as a turn of an organisation sees them that began at that time.

        A change that was made at exactly that time was made in the turn itself and is not seen.
        """
        seen = sum(moment.since is None or moment.since < began for moment in self._moments)
        if seen == len(self._moments):
            return self.snapshot(org_key)
        return self._seen(self._moments[: max(seen, 1)], org_key)

    def _seen(self, moments: Sequence[Moment], org_key: str | None) -> ActionTypes:
        held = moments[-1]
        flags = [moment.table.flags_of(org_key) for moment in moments]
        table = held.table.model_copy(update={"rollout_flags": tuple(sorted(flags[-1]))})
        usable = [moment.usable(on) for moment, on in zip(moments, flags, strict=True)]
        origins = dict(self._origins)
        for name in held.types:
            since = None
            if name in usable[-1]:
                first = len(moments) - 1
                while first > 0 and name in usable[first - 1]:
                    first -= 1
                since = moments[first].since
            origins[name] = Origin(since=since, version=held.versions.get(name), retired=name in held.retired)
        return ActionTypes(held.types, table, origins=origins)

    def before(self, present: Mapping[str, ActionType]) -> ActionTypes:
        """Return these types, which a turn sees, with present ones added for the existing actions of them.

        New actions cannot have the added types.
        """
        newer = {name: kind for name, kind in present.items() if name not in self}
        if not newer:
            return self
        return ActionTypes(
            {**newer, **self}, self.table, origins=self._origins, too_new=self._too_new | newer.keys()
        )


def followed_by(held: Moment, loaded: Moment, since: datetime | None) -> Moment:
    """Return what is in force once other files are loaded: they, and what they lack, as retired.

    A type whose file is gone stays for its existing actions. So does a status that a file dropped without
    naming its successor.
    """
    types = {
        name: kind.keeping(
            {status: held.types[name].ways_from(status) for status in held.types[name].loses(kind)}
        )
        if name in held.types
        else kind
        for name, kind in loaded.types.items()
    }
    gone = {name: kind.withdrawn() for name, kind in held.types.items() if name not in types}
    return Moment(since, {**types, **gone}, loaded.table, frozenset(gone))


def lost_policies(before: ActionType, after: ActionType) -> tuple[str, ...]:
    """Return the policies and handlers of a type that actions lose when they get another type instead."""
    old, new = before.default_policies, after.default_policies
    had, has = before.policy_handlers, after.policy_handlers
    pairs = (
        ("requires_confirmation", old.requires_confirmation, new.requires_confirmation),
        ("auto_complete", old.auto_complete, new.auto_complete),
        ("blocking", old.blocking, new.blocking),
        ("escalation", old.escalation, new.escalation),
        ("completion_guard", had.completion_guard, has.completion_guard),
        ("due", had.due, has.due),
    )
    return tuple(name for name, one, other in pairs if one and one != other)


def completes_by_result(kind: ActionType) -> bool:
    """Tell whether a reported result alone can complete an action of the type, once it is in progress."""
    return (
        kind.default_policies.auto_complete
        and "agent" in kind.allowed_owners
        and COMPLETED in kind.ways_from(STARTED)
        and kind.policy_handlers.completion_guard != "choice_required"
    )


def may_be_safe(kind: ActionType | None) -> bool:
    """Tell whether a type can be the safe type: active, without a rollout flag, ownable by a user."""
    return (
        kind is not None and "user" in kind.allowed_owners and not kind.rollout_flag and not kind.deprecated
    )
