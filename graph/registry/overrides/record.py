"""Value types of overrides of action types, and the commands that change them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from prefrontal.graph.journal.command import TurnCommand, expected_version
from prefrontal.graph.record import Key, Limit, Record
from prefrontal.graph.registry.definitions import ActionType


class ActionTypeOverride(Record):
    """An organisation's own definition of an action type, in force or waiting for approval, or both."""

    uid: str
    scope_id: str
    type_id: str
    definition: ActionType | None
    """The definition in force; None while there is only a draft."""
    draft: ActionType | None
    """The definition that waits for approval."""
    since: datetime | None
    """When new actions could first have the type; None if a file defined it before."""
    created_at: datetime
    updated_at: datetime
    by_uid: str
    version: int


class LockedRegistry(Record):
    """An organisation's registry, locked until the commit."""

    revision: int
    scope_id: str
    """The organisation's common space, which holds the overrides."""
    overrides: dict[str, ActionTypeOverride]


class TypeWarning(Record):
    """What the use of a deprecated type did."""

    code: str
    message: str
    field: str | None
    policies: tuple[str, ...] = ()
    """The policies and handlers that the action lost, because it got the type's successor."""


class ActionTypeDraft(Record):
    """The definition of an action type as the client sends it, with the keys of a registry file."""

    keys: dict[str, Any]


class RegisterActionType(TurnCommand):
    """An action type to register for the organisation."""

    definition: ActionTypeDraft
    approved: bool = Field(
        default=False,
        description="True puts the definition into force at once; it then overrides a file with the same id. "
        "False stores a draft, which the organisation can read and which has no effect.",
    )
    expected_version: int | None = expected_version()


class WithdrawActionTypeOverride(TurnCommand):
    """An organisation's own definition to remove."""

    id: Key = Field(description="The type's id.")
    expected_version: int | None = expected_version()


class DeprecateActionType(TurnCommand):
    """An action type to deprecate."""

    id: Key = Field(description="The type's id.")
    replaced_by: str | None = Field(
        default=None,
        description="The type to use instead; it must be active. If omitted, the present value is kept.",
    )
    note: Annotated[str, Limit("description_characters")] | None = Field(
        default=None,
        description="Advice for people on what to do instead. If omitted, the present value is kept.",
    )
    block_new: bool | None = Field(
        default=None,
        description="True refuses new actions of this type and names the successor. False gives new "
        "actions the successor's type, or this type if there is no successor, with a warning. "
        "If omitted, the present value is kept; it is false at first.",
    )
    expected_version: int | None = expected_version()
