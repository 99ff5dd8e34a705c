"""Commands: what a client asks the service to change, as one value.

The class of a command says everything about it once. Its name is the operation, its fields are the GraphQL
input and the body that an idempotency key stands for, and the limits of `limits.yaml` that its fields name
are the checks of their length.

    class TransitionGoal(ChangeCommand):
        \"\"\"A goal, its new status and the reason.\"\"\"

        status: GoalStatus
        reason: Title | None = None
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, get_args

from pydantic import Field

from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.record import Id, Key, Limit, OneByOne, Record
from prefrontal.graph.validation import (
    camel,
    join_path,
    json_problems,
    list_problems,
    repeated,
    text_problems,
)

if TYPE_CHECKING:
    from prefrontal.graph.config.tables import LimitsTable


def space() -> Any:
    """Return the field `space`: where new records are stored."""
    return Field(default=None, description="The space to write to; default: your own, `me.homeSpace`.")


def expected_version() -> Any:
    """Return the field `expected_version`, which every change of an existing record has."""
    return Field(
        default=None,
        description="The `version` that you read. If it has changed since then, the call is refused as "
        "`version_conflict`.",
    )


class Command(Record):
    """A change that happens once."""

    operation_name: ClassVar[str]
    """The name of the use case, e.g. `transitionGoal`."""

    idempotency_key: str | None = Field(
        default=None,
        description="A key of your choice, 1 to 200 characters. For 7 days, repeating the call with the "
        "same key and input writes nothing and returns the first result; the same key with another input "
        "is a `conflict`.",
    )

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Name the operation after the class."""
        super().__init_subclass__(**kwargs)
        cls.operation_name = cls.__name__[0].lower() + cls.__name__[1:]

    @property
    def body(self) -> dict[str, Any]:
        """The JSON-able input that the idempotency key stands for: the fields that were given."""
        return self.model_dump(mode="json", exclude={"idempotency_key"}, exclude_unset=True)


TurnName = Annotated[
    Key,
    Field(
        description="Your name for the turn, or its `id`. A new name begins a turn; it stands for that turn "
        "for a day from its beginning, and is then free for another."
    ),
]


class TurnCommand(Command):
    """A change that may belong to a turn."""

    turn_id: Key | None = Field(
        default=None,
        description="Your name for the turn that this call belongs to, for its trace, or the turn's `id`. A "
        "new name begins a turn, and stands for it for a day.",
    )


class ChangeEntry(Record):
    """One of the existing records that a command changes."""

    id: Id
    expected_version: int | None = expected_version()


class ChangeCommand(ChangeEntry, TurnCommand):
    """A change of one existing record."""


def entry_problems(entries: Sequence[ChangeEntry], path: str) -> list[InvalidInput]:
    """Return what is wrong with a list of records to change: it is empty, or names a record twice."""
    if not entries:
        return [InvalidInput("name at least one", field=path)]
    return repeated([entry.id for entry in entries], path + "[{}].id")


def paths_of(path: str, entries: Sequence[Any]) -> list[str]:
    """Return the path of each entry of a list, e.g. `goals[3]`."""
    return [f"{path}[{number}]" for number in range(len(entries))]


def limit_problems(record: Record, limits: LimitsTable, path: str = "") -> list[InvalidInput]:
    """Return what is empty or too long in a record and in the records inside it, each field under `path`.

    Only fields that name a `Limit` are checked. A limit in characters on a list holds for each entry. The
    records in a field that is marked `OneByOne` are not checked.
    """
    problems: list[InvalidInput] = []
    for name, field in type(record).model_fields.items():
        value, where = getattr(record, name), join_path(path, camel(name))
        if value is None:
            continue
        for limit in _limits(field.metadata, field.annotation):
            problems += _over_limit(value, where, limit, limits)
        if any(isinstance(part, OneByOne) for part in field.metadata):
            continue
        if isinstance(value, Record):
            problems += limit_problems(value, limits, where)
        elif isinstance(value, tuple):
            for number, item in enumerate(value):
                if isinstance(item, Record):
                    problems += limit_problems(item, limits, f"{where}[{number}]")
    return problems


def _over_limit(value: Any, where: str, limit: Limit, limits: LimitsTable) -> list[InvalidInput]:
    most: int = getattr(limits, limit.name)
    if isinstance(value, Mapping):
        return json_problems(value, where, most)
    if not isinstance(value, tuple):
        return text_problems(value, where, most, required=not limit.may_be_empty)
    if not limit.name.endswith("_characters"):
        return list_problems(value, where, most)
    return [
        problem
        for number, item in enumerate(value[: limits.list_items])
        for problem in _over_limit(item, f"{where}[{number}]", limit, limits)
    ]


def _limits(metadata: list[Any], annotation: Any) -> Iterator[Limit]:
    """Give the limits of a field, those of a list before those of its entries."""
    for part in (*metadata, *get_args(annotation)):
        if isinstance(part, Limit):
            yield part
        else:
            yield from _limits([], part)
