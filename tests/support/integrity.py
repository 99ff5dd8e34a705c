"""Looks over everything an organisation has for a change that is only half there.

A change is one transaction, so whatever was killed, every node has all that is written with it: versions,
trace entries, events, links, and the result under the request's key.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import Any

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.cortex.goals.topics import topics_of_title
from prefrontal.graph.storage.schema_of_nodes import declared_schema, node_classes
from prefrontal.graph.topics.rules import kept_topics, topics_in_order
from tests.support.world import World

Properties = dict[str, Any]

MADE = sorted(edge.end for edge in declared_schema(node_classes()).edges if edge.type == "MADE")
"""The labels of what a turn is linked to."""

TOPICS = load_catalog(Settings().registry_dir).goals.topics


class Graph:
    """All nodes of one organisation and the edges that begin at them."""

    def __init__(self, nodes: list[dict[str, Any]], edges: list[dict[str, Any]]) -> None:
        self.by_label: dict[str, list[Properties]] = defaultdict(list)
        for row in nodes:
            for label in row["labels"]:
                self.by_label[label].append(row["properties"])
        self.uids = Counter(row["properties"].get("uid") for row in nodes)
        self.out: dict[tuple[str, str], list[tuple[str, Properties]]] = defaultdict(list)
        self.into: dict[tuple[str, str], list[tuple[str, Properties]]] = defaultdict(list)
        for row in edges:
            self.out[row["a"], row["type"]].append((row["b"], row["properties"]))
            self.into[row["b"], row["type"]].append((row["a"], row["properties"]))
        self.events = Counter((event["aggregate"], event["type"]) for event in self.by_label["OutboxEvent"])
        self.traces: dict[tuple[str, str], list[Properties]] = defaultdict(list)
        for trace in self.by_label["TraceEvent"]:
            for uid in trace["ids"]:
                self.traces[uid, trace["kind"]].append(trace)
        self.versions: dict[str, list[Properties]] = defaultdict(list)
        for version in self.by_label["Version"]:
            self.versions[version["of_uid"]].append(version)


async def rows_of(world: World) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """All nodes and edges, as a `Graph` takes them."""
    nodes = await world.rows(
        "MATCH (n {org_id: $org}) RETURN labels(n) AS labels, properties(n) AS properties"
    )
    edges = await world.rows(
        "MATCH (a {org_id: $org})-[r]->(b) "
        "RETURN a.uid AS a, type(r) AS type, properties(r) AS properties, b.uid AS b"
    )
    return nodes, edges


async def halves(world: World) -> list[str]:
    """What is there without what is written with it, or in a space of others; empty when all is well."""
    report = await world.services.scopes.check(world.org_id)
    return [*halves_of(Graph(*await rows_of(world))), *map(str, report.strays)]


def halves_of(graph: Graph) -> list[str]:
    said = [f"{uid}: there {number} times" for uid, number in graph.uids.items() if number > 1 or uid is None]
    for observation in graph.by_label["Observation"]:
        said += _observation(graph, observation)
    for goal in graph.by_label["Goal"]:
        said += _goal(graph, goal)
    for action in graph.by_label["PendingAction"]:
        said += _versions(graph, action, first=1)
        said += _exactly(graph.events[action["uid"], "pending_action.created"], 1, action, "event")
        goals = 0 if action.get("goal_id") is None else 1
        said += _exactly(len(graph.out[action["uid"], "ADVANCES"]), goals, action, "goal")
    for request in graph.by_label["Request"]:
        said += _request(graph, request)
    for trace in graph.by_label["TraceEvent"]:
        logged = [uid for uid, _ in graph.into[trace["uid"], "LOGGED"]]
        named = [trace["turn_uid"]] if "turn_uid" in trace else []
        said += [] if logged == named else [f"{trace['uid']}: of turn {logged}, not {named}"]
    return said + topics_of(graph) + turns_of(graph)


def topics_of(graph: Graph) -> list[str]:
    """Each record is about the topics of its own words, and each goal about those of its evidence.

    No topic is without a record about it, and both are in one space.
    """
    said: list[str] = []
    topics = {topic["uid"]: topic for topic in graph.by_label["Topic"]}
    observations = {o["uid"]: o for o in graph.by_label["Observation"]}

    def keys(node: Properties, flag: str | None = None) -> list[str]:
        edges = [uid for uid, on in graph.out[node["uid"], "ON"] if flag is None or on[flag]]
        return sorted(topics[uid]["key"] if uid in topics else f"no topic {uid}" for uid in edges)

    for o in (*observations.values(), *graph.by_label["Remembered"]):
        # What was forgotten has no terms and no topics.
        wanted = list(kept_topics(o["tags"], o["content"], TOPICS)) if "terms" in o else []
        said += [] if keys(o) == wanted else [f"{o['uid']}: about {keys(o)}, not {wanted}"]
    for goal in graph.by_label["Goal"]:
        own = sorted(topics_of_title(goal["title"], goal.get("goal_type"), TOPICS))
        said += [] if keys(goal, "own") == own else [f"{goal['uid']}: about {keys(goal, 'own')}, not {own}"]
        linked = [observations.get(uid, {}) for uid, _ in graph.into[goal["uid"], "EVIDENCES"]]
        # What changed later was linked with other words.
        same = [o for o in linked if o.get("scope_id") == goal["scope_id"] and o["version"] == 1]
        known = {topic for o in same for topic in topics_in_order(o["tags"], o["content"], TOPICS)}
        found = keys(goal, "evidence")
        if len(found) < TOPICS.per_goal:
            said += [f"{goal['uid']}: not about {topic} of its evidence" for topic in known - {*found}]
        nothing = [uid for uid, on in graph.out[goal["uid"], "ON"] if not (on["own"] or on["evidence"])]
        said += [f"{goal['uid']}: about {uid} for nothing" for uid in nothing]
    for node in (*observations.values(), *graph.by_label["Remembered"], *graph.by_label["Goal"]):
        for uid, on in graph.out[node["uid"], "ON"]:
            spaces = {on["scope_id"], node["scope_id"], topics.get(uid, {}).get("scope_id")}
            ids = (on["from_uid"], on["topic_uid"]) == (node["uid"], uid)
            said += [] if ids and len(spaces) == 1 else [f"{node['uid']}: about {uid} with {on}"]
    return said + [f"{uid}: nothing is about it" for uid in topics if not graph.into[uid, "ON"]]


def turns_of(graph: Graph) -> list[str]:
    """Every turn that is named is there, and is linked once to each record of its events that is there."""
    turns = {turn["uid"] for turn in graph.by_label["Turn"]}
    said = [
        f"{node['uid']}: no turn {node['turn_uid']}"
        for node in (*graph.by_label["OutboxEvent"], *graph.by_label["Version"])
        if "turn_uid" in node and node["turn_uid"] not in turns
    ]
    kept = {node["uid"] for label in MADE for node in graph.by_label[label]}
    wanted = {
        (event["turn_uid"], event["aggregate"])
        for event in graph.by_label["OutboxEvent"]
        if "turn_uid" in event and event["aggregate"] in kept
    }
    found = Counter((turn, uid) for turn in turns for uid, _ in graph.out[turn, "MADE"])
    said += [
        f"{turn}: made {uid} {found[turn, uid]} times, not once"
        for turn, uid in wanted
        if found[turn, uid] != 1
    ]
    said += [f"{turn}: made {uid} without an event" for turn, uid in found if (turn, uid) not in wanted]
    return said


def _exactly(found: int, wanted: int, node: Properties, what: str) -> list[str]:
    return [] if found == wanted else [f"{node['uid']}: {what} {found} times, not {wanted}"]


def _versions(graph: Graph, node: Properties, *, first: int) -> list[str]:
    """Every version from `first` to the node's own, once, and linked to it."""
    numbers = sorted(version["number"] for version in graph.versions[node["uid"]])
    wanted = list(range(first, node["version"] + 1))
    said = [] if numbers == wanted else [f"{node['uid']}: versions {numbers}, not {wanted}"]
    return said + _exactly(len(graph.into[node["uid"], "OF"]), len(wanted), node, "linked version")


def _observation(graph: Graph, node: Properties) -> list[str]:
    uid = node["uid"]
    # Its first state is the node itself; versions begin with the first change.
    said = _versions(graph, node, first=2)
    said += _exactly(len(graph.out[uid, "TAGGED"]), len(node["tag_keys"]), node, "tag")
    said += _exactly(graph.events[uid, "observation.added"], 1, node, "event")
    return said + _exactly(len(graph.traces[uid, "observations_added"]), 1, node, "trace")


def _goal(graph: Graph, node: Properties) -> list[str]:
    uid = node["uid"]
    said = _versions(graph, node, first=1)
    said += _exactly(graph.events[uid, "goal.created"], 1, node, "event")
    said += _exactly(len(graph.out[uid, "FOR"]), 1, node, "actor")
    created = [trace for trace in graph.traces[uid, "goal_created"] if trace["ids"][0] == uid]
    said += _exactly(len(created), 1, node, "trace")
    links = graph.into[uid, "EVIDENCES"]
    first = {source for source, properties in links if properties["gain"] == 0}
    for trace in created:
        details = json.loads(trace["details"])
        said += _exactly(len(first), details["observations"], node, "evidence at creation")
        said += _exactly(
            len(first & set(trace["ids"])), details["observations"], node, "evidence of the trace"
        )
        said += _exactly(len(graph.into[uid, "ADVANCES"]), details["actions"], node, "action")
    later = [source for source, properties in links if properties["gain"] > 0]
    said += _exactly(len(set(later)), len(later), node, "linked observation")
    for source in later:
        linked = [trace for trace in graph.traces[source, "observation_linked"] if uid in trace["ids"]]
        said += _exactly(len(linked), 1, node, f"trace of the link of {source}")
    said += _exactly(graph.events[uid, "goal.evidence_linked"], len(later), node, "event of links")
    return said + _progress(graph, node)


def _progress(graph: Graph, node: Properties) -> list[str]:
    """Progress is what its versions say, each of them with a trace entry and an event."""
    uid = node["uid"]
    versions = sorted(graph.versions[uid], key=lambda version: version["number"])
    states = [changes["progress"] for v in versions if "progress" in (changes := json.loads(v["changes"]))]
    said = (
        []
        if states[-1:] == [node["progress"]]
        else [f"{uid}: progress {node['progress']}, not {states[-1:]}"]
    )
    steps = len(states) - 1
    said += _exactly(len(graph.traces[uid, "progress_updated"]), steps, node, "trace of progress")
    return said + _exactly(graph.events[uid, "goal.progressed"], steps, node, "event of progress")


def _request(graph: Graph, node: Properties) -> list[str]:
    if node.get("result") is None:
        return [f"{node['uid']}: no result"]
    result = json.loads(node["result"])
    named = [*result.get("uids", []), *result.get("actions", [])]
    named += [result["uid"]] if "uid" in result else []
    named += [move["uid"] for move in result.get("moves", [])]
    return [f"{node['uid']}: names {uid}, which is not there" for uid in named if uid not in graph.uids]
