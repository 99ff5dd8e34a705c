"""The names of a record's fields in the record's own GraphQL type, for histories and the audit log."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cache
from typing import Any

from prefrontal.api.graphql.nodes import NODES, graphql_type
from prefrontal.graph.history.rules import public_name
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.validation import camel

_OTHERWISE = {"parent_goal_id": "parent", "definition": "in_force", "references": "evidence_refs"}
"""Fields of records that a type shows by a resolver of its own, and its names of them."""


def words_for(uid: str) -> Mapping[str, str] | None:
    """Return the type's name of each field that a record has in its versions.

    A field that the type does not show is left out. Returns None if records of the kind have no type.
    """
    kind = kind_of(uid)
    return _words_of(kind) if kind in NODES else None


def word_in(words: Mapping[str, str] | None, name: str) -> str | None:
    """Return the type's name of a field; None if the type does not show the field."""
    return name if words is None else words.get(name)


@cache
def _words_of(kind: Kind) -> Mapping[str, str]:
    shown: Any = graphql_type(kind)
    names = {field.name for field in dataclasses.fields(shown)}
    words = {name: name for name in names} | {
        source: word for source, word in _OTHERWISE.items() if word in names
    }
    words |= shown.words()
    return {public_name(source): camel(word) for source, word in words.items()}
