"""A space's part of the graph, comparable with another: without ids, times and what is made of them."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from typing import Any

from tests.support.world import World

ID = re.compile(r"\b[a-z]{2,5}_[0-9A-HJKMNP-TV-Z]{26}\b")
TIMES = {
    "created_at",
    "ended_at",
    "updated_at",
    "locked_at",
    "linked_at",
    "expires_at",
    "completed_at",
    "archived_at",
    "since",
    "until",
}
# Hashes of inputs that have ids in them, what holds the space in other letters, and what is made of texts and
# dates.
_SEARCHED = {"searchable_in", "terms", "embedding_a", "embedded_a", "embedding_b", "embedded_b"}
HIDDEN = {
    "Request": {"key", "body_hash", "name"},
    "Memory": _SEARCHED | {"text_key"},
    "Goal": _SEARCHED,
    "Question": _SEARCHED,
    "Story": _SEARCHED,
}


async def nodes_and_edges(world: World, space: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Everything in a space but its locks, as it is stored, in an order that is always the same."""
    (found,) = await world.rows(
        "CALL () { MATCH (n {scope_id: $space}) WHERE n.uid IS NOT NULL WITH n ORDER BY n.uid "
        "RETURN collect({labels: labels(n), node: properties(n)}) AS nodes } "
        "CALL () { MATCH (n {scope_id: $space})-[r]->(m {scope_id: $space}) WITH n, r, m "
        "ORDER BY n.uid, type(r), m.uid "
        "RETURN collect({start: n.uid, type: type(r), edge: properties(r), end: m.uid}) AS edges } "
        "RETURN nodes, edges",
        space=space,
    )
    return found["nodes"], found["edges"]


def canonical(
    nodes: list[dict[str, Any]], edges: list[dict[str, Any]], known: dict[str, str]
) -> Counter[str]:
    """The nodes, each told by what it holds and by what it is linked with, however far away.

    An id is replaced by what its node holds, which is told with the ids of others, and so on for some rounds.
    """
    colours = dict(known)
    told: dict[str, str] = {}
    for _ in range(4):
        told = {}
        for item in nodes:
            if item["node"]["uid"] in known:
                continue
            uid, labels = item["node"]["uid"], sorted(item["labels"])
            hidden = TIMES.union({"uid"}, *(HIDDEN.get(label, set()) for label in labels))
            links = sorted(
                json.dumps(
                    [
                        way,
                        edge["type"],
                        _visible_properties(edge["edge"], TIMES, colours),
                        colours.get(edge[other]),
                    ],
                    default=str,
                )
                for way, one, other in (("out", "start", "end"), ("in", "end", "start"))
                for edge in edges
                if edge[one] == uid
            )
            told[uid] = json.dumps(
                [labels, _visible_properties(item["node"], hidden, colours), links], default=str
            )
        colours = known | {uid: hashlib.md5(text.encode()).hexdigest()[:12] for uid, text in told.items()}
    return Counter(told.values())


def _visible_properties(
    properties: dict[str, Any], hidden: set[str], colours: dict[str, str]
) -> dict[str, Any]:
    return {name: _value(value, colours) for name, value in sorted(properties.items()) if name not in hidden}


def _value(value: Any, colours: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_value(item, colours) for item in value]
    if not isinstance(value, str):
        return value
    if value.startswith(("{", "[")):
        found = json.loads(value)
        if isinstance(found, dict):
            value = json.dumps({k: v for k, v in found.items() if k not in TIMES}, sort_keys=True)
    return ID.sub(lambda match: colours.get(match[0], "unknown"), value)
