"""The base class of every record. Records are immutable values and import no stores or services."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema


@dataclass(frozen=True, slots=True)
class Identifier:
    """Marks a text as the id of a record; GraphQL shows it as an `ID`."""


@dataclass(frozen=True, slots=True)
class PriorityMark:
    """Marks a priority: a name or a number of the registry; GraphQL shows it as a `Priority`."""


@dataclass(frozen=True, slots=True)
class SeqMark:
    """Marks a number as a place in the order of events; GraphQL shows it as a `Seq`."""


@dataclass(frozen=True, slots=True)
class Alias:
    """A second name under which clients may give a field, e.g. `assigned_to` for `owner`."""

    name: str


@dataclass(frozen=True, slots=True)
class Limit:
    """The entry of `limits.yaml` that says how long a text, a list or a map may be."""

    name: str
    may_be_empty: bool = False
    """Whether a text may be empty or white space only."""


@dataclass(frozen=True, slots=True)
class OneByOne:
    """Marks a list of records that are checked one by one: an invalid record does not refuse the others."""


def _number_as_text(value: Any) -> Any:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Id = Annotated[str, Identifier()]
Reference = Annotated[str, Identifier(), Limit("key_characters")]
"""The id of another record to link to."""
Key = Annotated[str, Limit("key_characters")]
Priority = Annotated[
    str, BeforeValidator(_number_as_text), WithJsonSchema({"type": ["string", "integer"]}), PriorityMark()
]
"""A priority by its name or its number; a number is kept as text."""
EventSeq = Annotated[int, SeqMark()]
"""A place in the order of an organisation's events."""
Title = Annotated[str, Limit("title_characters")]
Text = Annotated[str, Limit("description_characters", may_be_empty=True)]


def contained_words() -> Any:
    """Return the field `text` of a filter: words that a record's title or description contains."""
    return Field(
        default=None,
        description="Words that must all stand in the title or the description, in any order, also as parts "
        "of words; letter case and character width are ignored.",
    )


class Record(BaseModel):
    """An immutable value. Unknown fields are refused, so a misspelt field name raises an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")
