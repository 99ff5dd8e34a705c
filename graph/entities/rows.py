"""Query parameters that write entities and mentions. The query that stores a memory writes them too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from prefrontal.graph.entities.extraction import name_candidates
from prefrontal.graph.entities.rules import entity_id, fold_name, times_named
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.validation import short_name

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config.tables import ExtractionTable
    from prefrontal.graph.entities.record import EntityName


def entity_rows(
    caller: Caller, named: Iterable[tuple[str, Iterable[EntityName]]], now: datetime
) -> list[dict[str, Any]]:
    """Return one row per entity and space.

    The rows are sorted, so that concurrent transactions lock entities in the same order.

    Args:
        caller: The caller that writes the memories.
        named: Ids of spaces, each with the entities that memories in the space name.
        now: The time of the change.
    """
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for scope_id, names in named:
        for entity in names:
            key = fold_name(entity.name)
            row = rows.setdefault(
                (key, scope_id),
                {
                    "scope_id": scope_id,
                    "key": key,
                    "uid": entity_id(caller.org_id, entity.name),
                    "name_uid": new_id(Kind.NAME, now),
                    "org_id": caller.org_id,
                    "caption": short_name(key),
                    "name": entity.name,
                    "kind": entity.kind,
                    "created_at": now,
                    "by_uid": caller.actor_id,
                },
            )
            row["kind"] = row["kind"] or entity.kind
    return [row for _, row in sorted(rows.items())]


def mention_rows(org_id: str, names: Iterable[EntityName], text: str) -> list[dict[str, Any]]:
    """Return one row per entity that a text mentions: the entity's id, and how often the text names it."""
    return [
        {"entity_uid": entity_id(org_id, entity.name), "count": times_named(entity.name, text)}
        for entity in names
    ]


def name_rows(text: str, table: ExtractionTable) -> list[dict[str, Any]]:
    """Return one row per place of a text that may have a name which its space knows."""
    return [candidate._asdict() for candidate in name_candidates(text, table)]
