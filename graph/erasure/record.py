"""Records of erasure: what a maintainer or a person asks for, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from prefrontal.graph.journal.command import Command
from prefrontal.graph.record import Key, Record, Title


class EraseUserData(Command):
    """The person whose data is erased, and the names under which others wrote about that person."""

    person: Key = Field(
        description="The person's key in tokens, which is also what `userId` of observations and goals says."
    )
    names: tuple[Title, ...] = Field(
        default=(),
        description="Further names of the person, at most 50: memories that mention an entity with one of "
        "them, or whose speaker has it, are erased. Letter case does not matter. The key is one of them.",
    )


class ErasureResult(Record):
    """What an erasure did."""

    person: str
    """The id of the person's actor, or its key if it never used the service."""
    records: int
    """How many records this call erased, besides their versions and parts."""


class ErasableNode(Record):
    """A node that is to be erased."""

    ref: str
    """Where the database has it."""
    uid: str
    label: str | None
    """The kind of record that others know by its id; none for parts and versions."""
    scope_id: str
    version: int
    text_key: str | None
    """The digest of its text, if the text must not be stored there again."""
    text: str | None
    """What a memory or an observation says."""


def found(row: Mapping[str, Any]) -> ErasableNode:
    """Return the record of a row."""
    return ErasableNode.model_validate(dict(row))
