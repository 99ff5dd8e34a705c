"""A caller of an earlier request is expected to be the same: rights are as fresh as if it was looked up."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.api.graphql import document_cache
from prefrontal.graph.access.record import CreateSpace, GrantAccess, RevokeAccess
from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from prefrontal.graph.cortex.goals.record import CreateGoal, ShareGoal, UnshareGoal
from prefrontal.graph.scratch.record import ObservationDraft
from tests.api.conftest import Api, Client

PAGE = "{ observations { nodes { content } } }"
NODE = "query ($id: ID!) { node(id: $id) { ... on Goal { title } ... on Observation { content } } }"
ME = "{ me { readableSpaces { totalCount } } }"
BOT = Actor(kind=ActorKind.AGENT, key="bot")


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a request be sent often as soon as it is known."""
    monkeypatch.setattr(document_cache, "OFTEN", 0)


async def page(client: Client) -> list[str]:
    return [node["content"] for node in (await client.run(PAGE))["observations"]["nodes"]]


@pytest.fixture
def sent_statements(api: Api, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What each session sent: `alone` for a statement in a transaction of its own, `begin` for others."""
    driver = api.world.services.database.driver
    real, found = driver.session, []

    def session(**config: Any) -> Any:
        opened = real(**config)
        run, begin = opened.run, opened.begin_transaction

        async def running(*args: Any, **more: Any) -> Any:
            found.append("alone")
            return await run(*args, **more)

        async def beginning(*args: Any, **more: Any) -> Any:
            found.append("begin")
            return await begin(*args, **more)

        opened.run, opened.begin_transaction = running, beginning
        return opened

    monkeypatch.setattr(driver, "session", session)
    return found


async def test_a_request_that_was_seen_before_needs_one_statement(
    api: Api, sent_statements: list[str]
) -> None:
    client = api.client()
    # The first request makes the actor, the second one is the first with a request that is known.
    await page(client)
    await page(client)
    sent_statements.clear()
    api.world.statements.clear()
    assert await page(client) == []
    assert sent_statements == ["alone"]
    assert api.world.statements.names == ["access/find_caller", "scratch/list_observations_by_time"]
    sent_statements.clear()
    await client.run("{ observations { totalCount nodes { id } } }")
    await client.run("{ observations { totalCount nodes { id } } }")
    # The first of them is not known yet. Of the second one the count has the shared transaction.
    assert sent_statements == ["begin", "alone", "begin"]


async def test_a_request_that_is_sent_seldom_is_not_planned_twice(
    api: Api, sent_statements: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_cache, "OFTEN", 3)
    client = api.client()
    await page(client)
    sent_statements.clear()
    # The first time it is not known yet, and then it is executed three times as before.
    for _ in range(5):
        await client.run("{ observations { nodes { content tags } } }")
    assert sent_statements == ["begin"] * 4 + ["alone"]


@pytest.mark.covers("SEC-14")
async def test_rights_are_as_fresh_as_ever(api: Api) -> None:
    access, scratch = api.world.services.access, api.world.services.scratch.service
    owner = await api.world.caller("owner")
    team = await access.create_space(owner, CreateSpace(name="Team"))
    owner = await api.world.caller("owner")
    (note,) = await scratch.add(owner, [ObservationDraft(content="of the team")], space=team)
    client = api.client("bot")
    seen = {"node": {"content": "of the team"}}
    for _ in range(2):
        assert await page(client) == []
        assert await client.run(NODE, id=note.uid) == {"node": None}
        assert (await client.run(ME))["me"]["readableSpaces"]["totalCount"] == 2

    await api.world.grant(owner, GrantAccess(space=team, actor=BOT, permission=SpacePermission.READ))
    assert await page(client) == ["of the team"]
    assert await client.run(NODE, id=note.uid) == seen
    await access.revoke_access(owner, RevokeAccess(space=team, actor=BOT))
    # The first request after the change, whatever it asks for.
    assert await client.run(NODE, id=note.uid) == {"node": None}
    assert await page(client) == []

    await api.world.grant(owner, GrantAccess(space=team, actor=BOT, permission=SpacePermission.READ))
    assert (await client.run(ME))["me"]["readableSpaces"]["totalCount"] == 3
    await access.revoke_access(owner, RevokeAccess(space=team, actor=BOT))
    assert (await client.run(ME))["me"]["readableSpaces"]["totalCount"] == 2


async def test_a_share_counts_from_the_next_request_on(api: Api) -> None:
    goals = api.world.services.goals
    owner = await api.world.caller("owner")
    goal = await goals.service.create(owner, CreateGoal(title="shared"))
    client = api.client("bot")
    for _ in range(2):
        assert await client.run(NODE, id=goal.uid) == {"node": None}
    share = ShareGoal(goal_id=goal.uid, actor=BOT, permission=SpacePermission.READ)
    await goals.sharing.share(owner, share)
    assert await client.run(NODE, id=goal.uid) == {"node": {"title": "shared"}}
    await goals.sharing.unshare(owner, UnshareGoal(goal_id=goal.uid, actor=BOT))
    assert await client.run(NODE, id=goal.uid) == {"node": None}


async def test_callers_do_not_take_each_others_place(api: Api) -> None:
    first, second = api.client("bot"), api.client("other")
    add = """mutation { addObservations(input: {observations: [{content: "mine"}]}) {
        ... on AddObservationsPayload { observations { id } } } }"""
    await first.run(add)
    for _ in range(2):
        assert await page(first) == ["mine"]
        assert await page(second) == []
    reader = api.client("bot", roles=("nobody",))
    (error,) = await reader.errors(PAGE)
    assert error["extensions"]["code"] == "unauthenticated"
