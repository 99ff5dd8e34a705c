"""What is wrong with a query plan that somebody waits for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

Plan = dict[str, Any]

ALLOWED = {
    # All of them are wanted, there is one node per schema file, and it runs at a start.
    "storage/list_migrations": ["NodeByLabelScan m:Migration"],
    # By a session of the caller: the index begins with it, and the space is compared besides.
    "sessions/list_accesses": ["NodeIndexSeek over all spaces, by session_uid"],
    # A person clears a demonstration away with it, in batches; no request waits.
    "demo/clear_organisation": ["AllNodesScan n"],
    # Whoever runs the service checks with it, and every text of a session is looked at; no request waits.
    "sessions/list_stray_texts": ["NodeByLabelScan m:Fragment"],
    "sessions/destroy_stray_texts": ["NodeByLabelScan m:Fragment"],
    "sessions/list_stray_checkpoints": ["NodeByLabelScan c:Checkpoint"],
    "sessions/delete_stray_checkpoints": ["NodeByLabelScan c:Checkpoint"],
    # Whoever runs the service copies an organisation with it; no request waits.
    "look/find_refs": ["AllNodesScan n"],
    # Of a session that is erased, found before in the organisation.
    "erasure/erase": ["NodeIndexSeek over all spaces, by session_uid"],
    # Likewise with an export; what is being imported has an index of its own only meanwhile.
    "transfer/list_nodes": ["AllNodesScan n"],
    "transfer/count_nodes": ["AllNodesScan n"],
    "transfer/find_taken": ["AllNodesScan n"],
    "transfer/undo_import": ["NodeByLabelScan marker:Importing", "AllNodesScan n"],
    "storage/list_refs": ["AllNodesScan n"],
    "transfer/find_organisation": ["NodeByLabelScan m:Importing"],
    "transfer/begin_import": ["NodeByLabelScan m:Importing"],
    "transfer/write_nodes": ["NodeByLabelScan marker:Importing"],
    "transfer/write_links": [
        "NodeByLabelScan marker:Importing",
        "CartesianProduct of two sources",
        "NodeByLabelScan n:Importing",
        "NodeByLabelScan m:Importing",
    ],
    "transfer/write_labels": ["NodeByLabelScan marker:Importing", "NodeByLabelScan m:Importing"],
    "transfer/count_written": ["NodeByLabelScan n:Importing"],
    "transfer/finish_import": [
        "CartesianProduct of two sources",
        "NodeByLabelScan marker:Importing",
        "NodeByLabelScan o:Importing",
    ],
    # A test looks at the whole of its own small graph.
    "fixtures/list_nodes": ["AllNodesScan n"],
    "fixtures/list_edges": ["DirectedAllRelationshipsScan (n)-[r]->(m)"],
}
"""What statements may look at besides, by name, with the reason."""

IN_ORDER = {
    "scratch/list_observations_by_time",
    "scratch/list_observations_by_tags",
    "scratch/list_observations_by_entities",
    "scratch/list_observations_by_source",
    "scratch/list_observations_by_update",
    "entities/list_entities",
    "goals/list_goals",
    "goals/list_goals_by_time",
    "goals/list_own_goals",
    "actions/list_pending_actions_by_due",
    "actions/list_pending_actions_by_utility",
    "actions/rank_pending_actions",
    "context/read_candidates",
    "memory/list_memories",
    "history/list_audit_by_actor",
    "history/list_audit_by_entity",
    "history/list_audit_by_time",
    "history/list_audit_by_turn",
    "history/list_audit_by_type",
    "history/list_versions",
}
"""Statements whose pages come from an index in their order, so that nothing is sorted."""

_AGGREGATE = re.compile(r"^(collect|collect_distinct|count|sum|min|max|avg)\(")
# An index of many organisations begins with what one caller may see; a tag belongs to one space,
# versions and events to one record,
# and what is for a person to that person.
_SCOPED = {"scope_id", "org_id", "person_id", "tag_uid", "of_uid", "aggregate"}


def operator(plan: Plan) -> str:
    return str(plan["operatorType"]).split("@")[0]


def details(plan: Plan) -> str:
    return str(plan["args"].get("Details", ""))


def operators(plan: Plan) -> Iterator[Plan]:
    yield plan
    for child in plan.get("children", ()):
        yield from operators(child)


def problems(plan: Plan, *, scoped: bool) -> list[str]:
    """Scans, products of two sources, and, if `scoped`, seeks that look beyond the caller's spaces."""
    found: list[str] = []
    for step in operators(plan):
        name = operator(step)
        # Every scan: of all nodes, of a label, of a relationship type, and of a whole index.
        if "Scan" in name:
            found.append(f"{name} {details(step)}")
        if name == "CartesianProduct" and sum(not at_most_one_row(side) for side in step["children"]) > 1:
            found.append("CartesianProduct of two sources")
        if scoped and "Index" in name and "Seek" in name and "UNIQUE" not in details(step):
            begins = first_property(details(step))
            if begins not in _SCOPED:
                found.append(f"{name} over all spaces, by {begins}")
    return found


def first_property(text: str) -> str:
    """The first property of the range index that a seek's details name."""
    found = re.search(r"RANGE INDEX .*?:\w+\((\w+)", text)
    return found[1] if found else "?"


def at_most_one_row(plan: Plan) -> bool:
    """Whether a branch surely yields at most one row for each row that comes in."""
    name, children = operator(plan), plan.get("children", [])
    if name in ("Argument", "EmptyRow"):
        return True
    if name.endswith("Aggregation") and not grouped(details(plan)):
        return True
    if name in ("NodeCountFromCountStore", "RelationshipCountFromCountStore"):
        return True
    if name.startswith(("NodeUniqueIndexSeek", "AssertingMultiNodeIndexSeek")):
        return " IN " not in details(plan)
    if name in ("Limit", "Top") and re.search(r"(?:^|LIMIT )1$", details(plan)):
        return True
    narrowing = {"Filter", "Projection", "CacheProperties", "Apply", "CartesianProduct", "Eager", "Create"}
    narrowing |= {"SetProperty", "SetProperties", "Foreach", "Merge", "LockingMerge", "Limit", "Top", "Sort"}
    return name in narrowing and bool(children) and all(at_most_one_row(child) for child in children)


def grouped(text: str) -> bool:
    """Whether an aggregation's details name something besides aggregates: one row for each of its values."""
    depth, part, parts = 0, "", []
    for character in text:
        depth += character in "([{"
        depth -= character in ")]}"
        if character == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += character
    return not all(_AGGREGATE.match(piece.strip()) for piece in [*parts, part])
