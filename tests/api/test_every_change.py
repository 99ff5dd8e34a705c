"""Every mutation, then its entries in the audit log: what each one changed, in the words of its own type."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import GraphQLObjectType

from tests.api.conftest import Api, Client
from tests.api.schema_inputs import ACTOR, SCHEMA, TAKEN, Input, owned, problem_mutation, refused
from tests.api.test_proposals import FULL, MAINTAINER, submit

LOG = """query ($filter: AuditFilterInput) { auditLog(filter: $filter, first: 100) {
  nodes { id operation entityId version fields by { id kind key name } node { __typename }
    permission grantee { id kind key name } } } }"""
RECORD = """query ($id: ID!, $at: DateTime!) { node(id: $id) { __typename }
  history(id: $id) { nodes { number changes { name before after } } } asOf(id: $id, at: $at) { fields } }"""
LOOKED_UP = "query ($id: ID!) { node(id: $id) { ... on Actor { id kind key name } } }"
GRANTS = {
    "GOAL_SHARED": (ACTOR["key"], "READ"),
    "GOAL_UNSHARED": (ACTOR["key"], None),
    "ACCESS_OFFERED": (ACTOR["key"], "READ"),
    "ACCESS_GRANTED": ("bot", "READ"),
    "ACCESS_REVOKED": (ACTOR["key"], None),
}
CHANGED = {
    "OBSERVATION_UPDATED": ["content"],
    "OBSERVATION_RESOLVED": ["status"],
    "OBSERVATION_ARCHIVED": ["archivedAt", "status"],
    "OBSERVATION_PINNED": ["expiresAt", "pinned"],
    "GOAL_UPDATED": ["title"],
    "LESSON_SUPPORTED": ["confidence", "support"],
    "LESSON_RETIRED": ["live", "retiredAt", "retiredReason"],
    "LESSON_RESTORED": ["live", "retiredAt", "retiredReason"],
    "GOAL_PROGRESSED": ["progress", "status"],
    "GOAL_EVIDENCE_LINKED": ["evidence"],
    "GOAL_EVIDENCE_UNLINKED": ["evidence"],
    "OBSERVATION_PROMOTED": ["goals"],
    "OBSERVATION_EXPIRED": ["archivedAt", "status"],
    "GOAL_TRANSITIONED": ["status"],
    "GOAL_SHARED": ["sharedWith"],
    "GOAL_UNSHARED": ["sharedWith"],
    "PENDING_ACTION_TRANSITIONED": ["archivedAt", "completedAt", "status"],
    "PENDING_ACTION_CONFIRMED": ["confirmedAt", "confirmedBy"],
    "STORY_ARCHIVED": ["archivedAt", "status"],
    "QUESTION_ARCHIVED": ["archivedAt", "status"],
    "REGISTRY_PROPOSAL_REVIEWED": ["reviewers", "reviews", "status"],
    "REGISTRY_PROPOSAL_WITHDRAWN": ["status", "statusReason"],
    "PENDING_ACTION_UPDATED": ["title"],
    "ACTION_TYPE_OVERRIDE_REMOVED": ["inForce"],
    "MANDATE_FORGOTTEN": ["live", "status"],
    "MANDATE_SUPERSEDED": ["live", "status", "supersededBy"],
    "DEVICES_LINKED": ["linksDevices"],
    "ACCESS_OFFERED": ["permission"],
    "ACCESS_GRANTED": ["permission"],
    "ACCESS_REVOKED": ["permission"],
    "GOAL_REVERTED": ["title"],
    "SESSION_ENDED": ["capacity", "endedAt", "status"],
    "SESSION_CHECKPOINTED": ["lastActivity"],
    "SESSION_RESTORED": ["capacity", "coherence", "dominantThemes", "focus", "task"],
    "WORKING_MEMORY_UPDATED": [
        "capacity",
        "coherence",
        "dominantThemes",
        "itemsProcessed",
        "lastActivity",
    ],
}
"""What the last entry of each operation changed; those that create a record name all of its fields."""
WITHOUT_A_TYPE = {"rcp": "ContextReceipt"}
"""Kinds of records whose types have an id that `node` does not find."""


def fields_of(name: str) -> set[str]:
    type_ = SCHEMA.type_map[name]
    assert isinstance(type_, GraphQLObjectType)
    return set(type_.fields)


async def log(client: Client, **wanted: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await client.run(LOG, filter=wanted))["auditLog"]["nodes"]
    return found


FIRST: dict[str, tuple[str, Input]] = {
    "unlinkObservation": ("linkObservation", TAKEN["linkObservation"]),
    "updateEvidence": ("linkObservation", TAKEN["linkObservation"]),
    "unshareGoal": ("shareGoal", TAKEN["shareGoal"]),
    "revokeAccess": ("grantAccess", TAKEN["grantAccess"]),
    "sweepExpired": ("addObservation", lambda _: {"content": "late", "ttlMinutes": 0.001}),
    "evaluateScratchPage": (
        "addObservation",
        lambda _: {"content": "Ann needs a kettle for tea", "confidence": 0.95, "evaluate": False},
    ),
    "confirmPendingAction": (
        "upsertPendingActions",
        lambda own: {"actions": [{"id": own.action, "requiresConfirmation": True}]},
    ),
    "revert": ("upsertGoal", lambda own: {"id": own.goal, "title": "new"}),
    "restoreCheckpoint": ("checkpointSession", lambda own: {"sessionId": own.session}),
    "bridgeSession": (
        "updateWorkingMemory",
        lambda own: {
            "sessionId": own.other_session,
            "operation": "ADD",
            "content": {"itemId": own.mandate},
            "salience": {"relevanceScore": 1, "urgency": 1},
        },
    ),
}
"""What has to be there before a mutation changes something: another mutation with its input."""


async def given(api: Api, mutation: str, client: Client) -> dict[str, Any]:
    """An input that changes something, with what has to be there before."""
    own = await owned(client)
    if mutation in FIRST:
        name, made = FIRST[mutation]
        assert refused((await client.post(problem_mutation(name), input=made(own))).json()) is None
    if mutation in ("reviewRegistryProposal", "withdrawRegistryProposal"):
        proposal = await submit(api.client(), **{**FULL, "typeId": "tasting", "displayName": "Tasting"})
        if mutation == "withdrawRegistryProposal":
            return TAKEN[mutation](own) | {"id": proposal["id"]}
        return {"id": proposal["id"], "decision": "REJECT", "comments": "no"}
    if mutation in ("acceptGrant", "leaveSpace"):
        # One space is offered, and the other one left after it was accepted.
        other = api.client("other")
        space = (await owned(other)).space
        offer = {"space": space, "actor": {"kind": "AGENT", "key": "bot"}, "permission": "READ"}
        assert refused((await other.post(problem_mutation("grantAccess"), input=offer)).json()) is None
        if mutation == "leaveSpace":
            accept = await client.post(problem_mutation("acceptGrant"), input={"space": space})
            assert refused(accept.json()) is None
        return {"space": space}
    if mutation == "restoreLesson":
        retired = await client.post(problem_mutation("retireLesson"), input=TAKEN["retireLesson"](own))
        assert refused(retired.json()) is None
    if mutation == "transitionPendingAction":
        return {"id": own.action, "status": "in_progress"}
    return TAKEN[mutation](own)


def writer_of(api: Api, mutation: str) -> Client:
    if "Registry" in mutation or "ActionType" in mutation:
        return api.client(**MAINTAINER)
    # Only a person confirms.
    return api.client(None, person="bea") if mutation == "confirmPendingAction" else api.client()


WITHOUT_VERSIONS = ("Space", "ContextReceipt", "Session", "ToolInvocation", "Outcome", "StateExport")


@pytest.mark.covers("VER-05")
@pytest.mark.nightly("the log and the versions of a few: tests/graph/test_history.py")
async def test_every_mutation_names_what_it_changed_in_the_words_of_the_record(api: Api) -> None:
    await api.client(agent=None, person=ACTOR["key"]).run("{ me { orgId } }")
    silent: set[str] = set()
    changed: dict[str, list[str]] = {}
    records: dict[str, tuple[str, Client]] = {}
    for mutation in TAKEN:
        client = writer_of(api, mutation)
        sent = await given(api, mutation, client)
        since = api.world.clock.advance(seconds=1).isoformat()
        body = (await client.post(problem_mutation(mutation), input=sent)).json()
        entries = await log(client, since=since)
        if not entries:
            silent.add(mutation)
            continue
        assert refused(body) is None, (mutation, body)
        for entry in entries:
            uid, node = entry["entityId"], entry["node"]
            named = node["__typename"] if node else WITHOUT_A_TYPE[uid.split("_")[0]]
            assert entry["fields"], (mutation, entry)
            assert set(entry["fields"]) <= fields_of(named), (mutation, entry)
            assert entry["by"]["name"], entry
            records[uid] = named, client
            if "id" not in entry["fields"]:
                changed[entry["operation"]] = entry["fields"]
            grantee, permission = GRANTS.get(entry["operation"], (None, None))
            assert ((entry["grantee"] or {}).get("key"), entry["permission"]) == (grantee, permission)
            for actor in (entry["by"], entry["grantee"]):
                assert actor is None or (await client.run(LOOKED_UP, id=actor["id"]))["node"] == actor
    # Without a repository no branch is written, the start of a turn is in its trace only, and who has left a
    # space does not see its log. What a reader of events has is no record, and of a person that is not known
    # nothing is erased.
    assert silent == {
        "exportProposalAsPr",
        "startTurn",
        "leaveSpace",
        "acknowledgeEvents",
        "resetEventConsumer",
        "eraseUserData",
    }
    assert changed == CHANGED
    now = api.world.clock.now().isoformat()
    for uid, (named, client) in records.items():
        found = await client.run(RECORD, id=uid, at=now)
        assert (found["history"] is None) == (named in WITHOUT_VERSIONS), named
        for version in (found["history"] or {"nodes": []})["nodes"]:
            assert version["changes"], (named, version)
            assert {change["name"] for change in version["changes"]} <= fields_of(named), version
        if found["asOf"]:
            assert set(found["asOf"]["fields"]) <= fields_of(named)
