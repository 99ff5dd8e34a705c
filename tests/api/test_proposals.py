"""Proposals to change the registry, through GraphQL over HTTP."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.api.conftest import Api, Client

NIGHTLY = pytest.mark.nightly(
    "the registry's rules: tests/graph/test_registry_*.py; each mutation over HTTP: the walks"
)

PROPOSAL = """{ id proposalType subject typeId requestedName displayName description diff suggestedPolicies
  allowedStatuses allowedTransitions rationale examples risks createdBy { id } createdFromTurnId status
  statusReason authors { totalCount nodes { id } } reviewers { nodes { id } }
  reviews { by { id } decision comments at } repo branch prUrl exportedAt mergedAt
  createdAt updatedAt
  version space { id } definition { id displayName allowedOwners requiresConfirmation allowedStatuses } }"""
PROBLEM = "... on Problem { code message field }"
LIST = f"""query ($filter: RegistryProposalFilterInput, $first: Int, $after: String) {{
  registryProposals(filter: $filter, first: $first, after: $after) {{
    totalCount pageInfo {{ hasNextPage endCursor }} edges {{ cursor }} nodes {PROPOSAL} }} }}"""
FULL: dict[str, Any] = {
    "proposalType": "ADD",
    "typeId": "survey",
    "displayName": "Survey",
    "description": "Ask many people.",
    "diff": {"allowed_owners": ["agent", "user"]},
    "suggestedPolicies": {"requires_confirmation": False},
    "allowedStatuses": ["pending", "in_progress", "completed", "cancelled"],
    "allowedTransitions": {
        "pending": ["in_progress", "cancelled"],
        "in_progress": ["completed", "cancelled"],
    },
    "rationale": "We ask for surveys every week.",
    "examples": ["Ask ten guests about the wine"],
    "risks": ["People get tired of surveys"],
}
CHANGE = {**dict.fromkeys(FULL), "proposalType": "MODIFY", "rationale": "r"}
MAINTAINER: dict[str, Any] = {"agent": None, "person": "mia", "roles": ("maintainer",)}


async def call(who: Client, name: str, **given: Any) -> dict[str, Any]:
    kind = name[0].upper() + name[1:]
    query = (
        f"mutation ($input: {kind}Input!) {{ {name}(input: $input) "
        f"{{ ... on {kind}Payload {{ proposal {PROPOSAL} }} {PROBLEM} }} }}"
    )
    found: dict[str, Any] = (await who.run(query, input=given))[name]
    return found.get("proposal", found)


async def submit(who: Client, **given: Any) -> dict[str, Any]:
    return await call(who, "submitRegistryProposal", **given)


async def review(who: Client, uid: str, decision: str = "APPROVE", **given: Any) -> dict[str, Any]:
    return await call(who, "reviewRegistryProposal", id=uid, decision=decision, **given)


async def listed(who: Client, **wanted: Any) -> list[dict[str, Any]]:
    page = (await who.run(LIST, filter=wanted or None))["registryProposals"]
    assert page["totalCount"] == len(page["nodes"])
    found: list[dict[str, Any]] = page["nodes"]
    return found


async def events(api: Api, kind: str) -> list[dict[str, Any]]:
    return await api.world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, type: $kind}) RETURN e.aggregate AS aggregate, "
        "e.aggregate_version AS version, e.data AS data, e.scope_id AS scope ORDER BY e.uid",
        kind=f"registry_proposal.{kind}",
    )


@pytest.mark.covers("REG-23", "REG-34..47", "REG-52..54")
async def test_a_proposal_keeps_every_field_and_tells_the_maintainers(api: Api) -> None:
    bot = api.client()
    made = await submit(bot, **FULL, turnId="plan-1", idempotencyKey="k")

    assert {name: made[name] for name in FULL} == FULL
    assert made["id"].startswith("prop_")
    assert (made["status"], made["subject"], made["version"]) == ("OPEN", "ACTION_TYPE", 1)
    assert (made["reviewers"]["nodes"], made["reviews"], made["createdFromTurnId"]) == ([], [], "plan-1")
    me = (await api.world.caller()).actor_id
    assert made["createdBy"] == {"id": me}
    assert made["authors"] == {"totalCount": 1, "nodes": [{"id": me}]}
    assert made["createdAt"] == made["updatedAt"]
    assert made["definition"] == {
        "id": "survey",
        "displayName": "Survey",
        "allowedOwners": ["AGENT", "USER"],
        "requiresConfirmation": False,
        "allowedStatuses": FULL["allowedStatuses"],
    }
    assert await submit(bot, **FULL, turnId="plan-1", idempotencyKey="k") == made
    (event,) = await events(api, "submitted")
    assert (event["aggregate"], event["version"], event["scope"]) == (made["id"], 1, made["space"]["id"])
    assert "survey" not in event["data"]
    trace = await bot.run('{ turnTrace(turnId: "plan-1") { nodes { kind ids } } }')
    assert trace["turnTrace"]["nodes"] == [{"kind": "REGISTRY_PROPOSAL_SUBMITTED", "ids": [made["id"]]}]
    assert await api.world.rows(
        "MATCH (t:Turn {org_id: $org})-[:PROPOSED]->(p) RETURN t.key AS turn, p.uid AS uid"
    ) == [{"turn": "plan-1", "uid": made["id"]}]
    assert (await bot.run("query ($id: ID!) { node(id: $id) { id __typename } }", id=made["id"]))["node"] == {
        "id": made["id"],
        "__typename": "RegistryProposal",
    }


@pytest.mark.covers("REG-35", "REG-41", "REG-44")
@pytest.mark.parametrize(
    ("given", "code", "field"),
    [
        ({"rationale": "  "}, "invalid", "rationale"),
        ({"typeId": "Odd Type"}, "invalid", "typeId"),
        ({"typeId": "research"}, "duplicate", "typeId"),
        ({"proposalType": "MODIFY"}, "not_found", "typeId"),
        ({"diff": {"id": "other"}}, "invalid", "diff.id"),
        ({"diff": {"code": "rm"}}, "invalid", "diff.code"),
        ({"suggestedPolicies": {"auto": True}}, "invalid", "suggestedPolicies.auto"),
        ({"suggestedPolicies": {"blocking": "yes"}}, "invalid", "suggestedPolicies.blocking"),
        ({"diff": {"policy_handlers": {"completion_guard": "ask"}}}, "invalid", None),
        ({"diff": {"replaced_by": "x", "deprecation_status": "deprecated"}}, "invalid", "diff.replacedBy"),
        ({"allowedStatuses": ["pending"]}, "invalid", None),
        ({"allowedTransitions": {"pending": ["nowhere"]}}, "invalid", None),
        ({"subject": "HANDLER"}, "invalid", None),
        ({"expectedVersion": 1}, "version_conflict", "expectedVersion"),
        # What `prefrontal registry check` would not pass:
        (
            {
                "allowedStatuses": [*FULL["allowedStatuses"], "lost"],
                "allowedTransitions": {**FULL["allowedTransitions"], "lost": ["completed"]},
            },
            "invalid",
            "allowedTransitions",
        ),
        ({"diff": {"fixtures": [{"name": "f", "starts": {"status": "in_progress"}}]}}, "invalid", None),
        (CHANGE | {"typeId": "research"}, "invalid", "diff"),
        (
            CHANGE
            | {
                "typeId": "research",
                "allowedStatuses": FULL["allowedStatuses"],
                "allowedTransitions": FULL["allowedTransitions"],
            },
            "invalid",
            None,
        ),
        (CHANGE | {"typeId": "user_task", "diff": {"allowed_owners": ["agent"]}}, "invalid", None),
        (CHANGE | {"typeId": "user_task", "proposalType": "DEPRECATE"}, "invalid", "typeId"),
    ],
)
@NIGHTLY
async def test_what_is_wrong_is_refused_and_nothing_is_written(
    api: Api, given: dict[str, Any], code: str, field: str | None
) -> None:
    bot = api.client()
    await bot.run("{ me { orgId } }")
    before = await api.world.counts()

    problem = await submit(bot, **{**FULL, **given})

    assert problem["code"] == code, problem
    assert field is None or problem["field"] == field
    assert await api.world.counts() == before


@pytest.mark.covers("REG-30")
@NIGHTLY
async def test_a_generic_key_is_proposed_with_reasons_only(api: Api) -> None:
    given = {"proposalType": "ADD", "subject": "HANDLER", "typeId": "two_signatures", "rationale": "r"}
    made = await submit(api.client(), **given)

    assert (made["subject"], made["typeId"], made["definition"]) == ("HANDLER", "two_signatures", None)
    assert (await submit(api.client(), **{**given, "proposalType": "MODIFY"}))["field"] == "proposalType"
    revised = await submit(api.client(), id=made["id"], diff={"note": "x"})
    assert (revised["code"], revised["field"]) == ("invalid", "diff")


@pytest.mark.covers("REG-36..40", "REG-46")
@NIGHTLY
async def test_an_open_proposal_is_revised_as_a_new_version(api: Api) -> None:
    made = await submit(api.client(), **FULL)
    api.world.clock.advance(minutes=1)
    other = api.client("helper")

    after = await submit(other, id=made["id"], displayName="Poll", diff=None, risks=None, expectedVersion=1)

    assert (after["displayName"], after["diff"], after["risks"], after["version"]) == ("Poll", None, [], 2)
    assert (after["rationale"], after["createdBy"]) == (FULL["rationale"], made["createdBy"])
    assert after["authors"]["totalCount"] == 2
    assert after["updatedAt"] > made["updatedAt"] == made["createdAt"]
    assert await submit(other, id=made["id"], displayName="Poll") == after
    late = await submit(other, id=made["id"], displayName="X", expectedVersion=1)
    assert late["code"] == "version_conflict"
    assert (await submit(other, id=made["id"], proposalType="MODIFY"))["field"] == "proposalType"
    versions = await api.world.rows(
        "MATCH (v:Version)-[:OF]->(:RegistryProposal {uid: $uid}) "
        "RETURN v.number AS number, v.changes AS changes ORDER BY number",
        uid=made["id"],
    )
    assert [row["number"] for row in versions] == [1, 2]
    assert '"display_name": "Poll"' in versions[1]["changes"]
    assert "rationale" not in versions[1]["changes"]


@NIGHTLY
async def test_the_addition_of_a_type_is_proposed_once_until_it_is_decided(api: Api) -> None:
    made = await submit(api.client(), **FULL)

    again = await submit(api.client("helper"), **FULL)

    assert (again["code"], again["field"]) == ("duplicate", "typeId")
    assert made["id"] in again["message"]
    await review(api.client(**MAINTAINER), made["id"], "REJECT")
    second = await submit(api.client("helper"), **FULL)
    assert second["status"] == "OPEN"
    assert [each["id"] for each in await listed(api.client())] == [second["id"], made["id"]]


@pytest.mark.covers("REG-48")
@NIGHTLY
async def test_proposals_are_found_by_status_type_and_turn_in_pages(api: Api) -> None:
    bot, mia = api.client(), api.client(**MAINTAINER)
    added = await submit(bot, **FULL, turnId="plan-1")
    api.world.clock.advance(seconds=1)
    modified = await submit(
        bot, proposalType="MODIFY", typeId="research", description="Find.", rationale="Vague", turnId="plan-2"
    )
    await review(mia, added["id"])

    async def ids(**wanted: Any) -> list[str]:
        return [each["id"] for each in await listed(bot, **wanted)]

    assert await ids() == [modified["id"], added["id"]]
    assert await ids(status=["APPROVED"]) == [added["id"]]
    assert await ids(status=["REJECTED", "MERGED"]) == []
    assert await ids(typeId="research") == [modified["id"]]
    assert await ids(turnId="plan-1") == [added["id"]]
    assert await ids(turnId="plan-1", status=["OPEN"]) == []
    assert await ids(turnId="no-turn") == []
    first = (await bot.run(LIST, first=1))["registryProposals"]
    assert [each["id"] for each in first["nodes"]] == [modified["id"]]
    assert first["pageInfo"]["hasNextPage"] is True
    rest = (await bot.run(LIST, first=1, after=first["pageInfo"]["endCursor"]))["registryProposals"]
    assert ([each["id"] for each in rest["nodes"]], rest["pageInfo"]["hasNextPage"]) == ([added["id"]], False)
    (error,) = await bot.errors(LIST, filter={"status": []})
    assert error["extensions"]["field"] == "filter.status"


@pytest.mark.covers("REG-45", "REG-49")
@pytest.mark.parametrize(("decision", "status"), [("APPROVE", "APPROVED"), ("REJECT", "REJECTED")])
@NIGHTLY
async def test_a_maintainer_decides_once_with_comments(api: Api, decision: str, status: str) -> None:
    made = await submit(api.client(), **FULL)
    mia, tom = api.client(**MAINTAINER), api.client(**{**MAINTAINER, "person": "tom"})
    api.world.clock.advance(minutes=1)

    after = await review(mia, made["id"], decision, comments="Let us see", turnId="reflect-1")

    assert (after["status"], after["version"]) == (status, 2)
    (said,) = after["reviews"]
    assert after["reviewers"]["nodes"] == [said["by"]]
    assert (said["decision"], said["comments"], said["at"]) == (decision, "Let us see", after["updatedAt"])
    (event,) = await events(api, "reviewed")
    assert (event["aggregate"], event["version"]) == (made["id"], 2)
    await tom.run("{ me { orgId } }")
    before = await api.world.counts()
    for who in (mia, tom):
        for again in ("APPROVE", "REJECT"):
            problem = await review(who, made["id"], again)
            assert (problem["code"], problem["field"]) == ("illegal_transition", "id")
    assert (await submit(api.client(), id=made["id"], displayName="X"))["code"] == "illegal_transition"
    assert await api.world.counts() == before


@pytest.mark.covers("REG-57")
@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"typeId": "research", "displayName": "Research"}, "MERGED"),
        ({"typeId": "blocker", "suggestedPolicies": {"blocking": False}}, "APPROVED"),
    ],
)
@NIGHTLY
async def test_what_is_loaded_already_is_merged_with_its_approval(
    api: Api, given: dict[str, Any], status: str
) -> None:
    made = await submit(api.client(), **{"proposalType": "MODIFY", "rationale": "r", **given})
    rejected = await submit(
        api.client(), proposalType="MODIFY", rationale="r", typeId="reminder", description="Later."
    )
    api.world.clock.advance(minutes=1)
    mia = api.client(**MAINTAINER)

    after = await review(mia, made["id"], turnId="reflect-1", idempotencyKey="k")

    loaded = status == "MERGED"
    assert (after["status"], after["version"], len(after["reviews"])) == (status, 2 + loaded, 1)
    assert (after["mergedAt"] is not None) == loaded
    assert await review(mia, made["id"], turnId="reflect-1", idempotencyKey="k") == after
    assert (await review(mia, rejected["id"], "REJECT"))["status"] == "REJECTED"
    assert [event["version"] for event in await events(api, "merged")] == [3] * loaded
    # It is decided by a person and merged by the organisation.
    rows = await api.world.rows(
        "MATCH (v:Version)-[:OF]->(:RegistryProposal {uid: $uid}) WHERE v.number > 1 "
        "RETURN v.number AS number, v.by_uid AS by ORDER BY number",
        uid=made["id"],
    )
    maintainer = (await api.world.caller(None, person="mia", roles=("maintainer",))).actor_id
    assert [row["by"] for row in rows] == [maintainer, *[api.world.org_id] * loaded]


@pytest.mark.covers("REG-49")
@NIGHTLY
async def test_who_wrote_on_a_proposal_does_not_decide_about_it(api: Api) -> None:
    mia = api.client(**MAINTAINER)
    own = await submit(mia, **FULL)
    through = api.client("bot", person="mia", roles=("maintainer",))
    revised = await submit(api.client(), **{**FULL, "typeId": "poll"})
    await submit(mia, id=revised["id"], displayName="Poll")
    before = await api.world.counts()

    for who, uid in ((mia, own["id"]), (through, own["id"]), (mia, revised["id"])):
        problem = await review(who, uid)
        assert (problem["code"], problem["field"]) == ("forbidden", "id")
    assert await api.world.counts() == before
    # Nor does a person decide about what their agent proposed, or revised, for them: the token named both.
    planned = await submit(api.client("bot", person="mia"), **{**FULL, "typeId": "vote"})
    assert (await review(mia, planned["id"]))["code"] == "forbidden"
    revised = await submit(api.client("third", person="ben"), id=planned["id"], displayName="Vote")
    assert revised["authors"]["totalCount"] == 4
    ben, cat = (api.client(None, person=name, roles=MAINTAINER["roles"]) for name in ("ben", "cat"))
    assert (await review(ben, planned["id"]))["code"] == "forbidden"
    assert (await review(cat, planned["id"]))["status"] == "APPROVED"


@NIGHTLY
async def test_what_the_registry_would_refuse_by_now_is_not_approved(api: Api) -> None:
    made = await submit(api.client(), proposalType="ADD", typeId="research_2", rationale="r")
    await api.world.rows("MATCH (p:RegistryProposal {uid: $uid}) SET p.type_id = 'research'", uid=made["id"])

    assert (await review(api.client(**MAINTAINER), made["id"]))["code"] == "duplicate"
    assert (await review(api.client(**MAINTAINER), made["id"], "REJECT"))["status"] == "REJECTED"


@pytest.mark.covers("REG-59")
@NIGHTLY
async def test_one_proposal_has_a_name_also_after_a_revision(api: Api) -> None:
    bot = api.client()
    first = await submit(bot, **{**FULL, "typeId": "poll"})
    second = await submit(bot, **FULL)
    problem = await submit(bot, id=first["id"], typeId="survey")
    assert (problem["code"], problem["field"]) == ("duplicate", "typeId")
    assert second["id"] in problem["message"]
    assert (await submit(bot, id=first["id"], typeId="vote"))["typeId"] == "vote"
    problem = await submit(bot, **{**FULL, "typeId": "vote"})
    assert (problem["code"], problem["field"]) == ("duplicate", "typeId")
    assert first["id"] in problem["message"]

    # The use of an unknown type finds the proposal by the id that it has now.
    made = """mutation { upsertPendingActions(input: {actions: [{title: "t", type: "vote"}]}) {
      ... on UpsertPendingActionsPayload { results { action { unknownType { proposal { id } } } } } } }"""
    (result,) = (await bot.run(made))["upsertPendingActions"]["results"]
    assert result["action"]["unknownType"]["proposal"]["id"] == first["id"]
    assert len(await listed(bot)) == 2
    several = [submit(api.client(f"b{n}"), **{**FULL, "typeId": "raffle"}) for n in range(3)]
    taken = submit(bot, id=first["id"], typeId="raffle")
    done = await asyncio.gather(*several, taken)
    assert sorted(each.get("code", each.get("typeId")) for each in done) == [*["duplicate"] * 3, "raffle"]
