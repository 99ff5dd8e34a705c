"""Compares the relationships of an organisation with what the node classes declare about them."""

from __future__ import annotations

from collections import defaultdict

from prefrontal.graph.storage.schema_of_nodes import Edge, End, NodeSchema
from tests.support.world import World


async def edges_in(world: World, org_id: str) -> set[Edge]:
    """Each relationship type of the organisation with each label at its start and at its end."""
    rows = await world.rows(
        "MATCH (a {org_id: $id})-[r]->(b) UNWIND labels(a) AS start UNWIND labels(b) AS end "
        "RETURN DISTINCT start, type(r) AS type, end",
        id=org_id,
    )
    return {Edge(**row) for row in rows}


STATES = {"Unembedded"}
"""What is searched may have these labels beside its own, which declare its relationships."""


def undeclared(schema: NodeSchema, edges: set[Edge]) -> set[Edge]:
    """The relationships between labels that neither declare them nor have a label that does."""

    def among(label: str) -> set[str]:
        return {label, *schema.parents.get(label, ()), *schema.kinds_of(label)}

    return {
        edge
        for edge in edges
        if STATES.isdisjoint((edge.start, edge.end))
        and not any(
            Edge(start, edge.type, end) in schema.edges
            for start in among(edge.start)
            for end in among(edge.end)
        )
    }


def _leads_to(end: End) -> str:
    left, right = {True: ("-", "->"), False: ("<-", "-"), None: ("-", "-")}[end.outgoing]
    in_force = " WHERE r.until IS NULL" if end.ends else ""
    return f"COUNT {{ (n){left}[r:{end.type}]{right}(:{end.other}){in_force} }}"


async def violations(world: World, org_id: str, schema: NodeSchema) -> list[str]:
    """The nodes that are linked with fewer or more nodes than an end or a group of ends allows."""
    said: list[str] = []
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for end in sorted(schema.ends):
        if end.group:
            groups[end.label, end.group].append(_leads_to(end))
        least, most = end.cardinality.least, end.cardinality.most
        if (least, most) == (0, None):
            continue
        said += await _counted(
            world, org_id, end.label, f"{end.name} {end.cardinality}", _leads_to(end), least, most
        )
    for (label, group), counts in sorted(groups.items()):
        said += await _counted(world, org_id, label, f"group {group}", " + ".join(counts), 0, 1)
    return said


async def _counted(
    world: World, org_id: str, label: str, what: str, count: str, least: int, most: int | None
) -> list[str]:
    rows = await world.rows(
        f"MATCH (n:{label} {{org_id: $id}}) WITH n, {count} AS number "
        "WHERE number < $least OR number > $most RETURN n.uid AS uid, number ORDER BY uid",
        id=org_id,
        least=least,
        most=most,
    )
    return [f"{label}.{what}: {row['uid']} leads to {row['number']}" for row in rows]
