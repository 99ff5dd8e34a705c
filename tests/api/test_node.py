"""Anything by its id."""

from __future__ import annotations

from datetime import timedelta

import pytest

from prefrontal.graph.caller import Principal
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.scratch.record import ObservationDraft
from tests.api.conftest import Api, Client


async def test_a_turn_is_found_by_its_id(api: Api) -> None:
    caller = await api.world.caller()
    await api.world.services.scratch.service.add(
        caller, [ObservationDraft(content="noticed")], turn_id="monday"
    )
    client = api.client()
    turn = (await client.run('{ turn(id: "monday") { id key } }'))["turn"]

    query = "query ($id: ID!) { node(id: $id) { id ... on Turn { key } } }"
    assert (await client.run(query, id=turn["id"]))["node"] == turn
    assert (await api.client("stranger").run(query, id=turn["id"]))["node"] is None


NODE = """query ($id: ID!) { node(id: $id) { __typename id
  ... on Actor { kind key name homeSpace { id } } ... on Space { form: kind permission owner { key } } } }"""


@pytest.mark.covers("SEC-11", "SEC-12", "SEC-14")
async def test_actors_of_the_organisation_and_readable_spaces_are_nodes(api: Api) -> None:
    me, colleague = await api.world.caller("bot"), await api.world.caller("other", person="ann")
    org = f"{api.world.org}-b"
    await api.world.services.access.create_organisation(org)
    foreign = await api.world.services.access.caller(Principal(org=org, agent="far", roles=("admin",)))
    token, _ = api.tokens.issue(Principal(org=org, agent="far", roles=("admin",)), timedelta(hours=1))
    bot = api.client("bot")

    async def seen(uid: str | None) -> object:
        api.world.statements.clear()
        found = (await bot.run(NODE, id=uid))["node"]
        assert api.world.statements.names[0] == "access/find_caller"
        return found

    common = next(uid for uid in me.readable if uid != me.home)
    own = {"__typename": "Actor", "id": me.actor_id, "kind": "AGENT", "key": "bot", "name": "bot"}
    assert await seen(me.actor_id) == own | {"homeSpace": {"id": me.home}}
    assert api.world.statements.names[1:] == ["access/find_actors", "access/find_spaces"]
    ann = {"__typename": "Actor", "id": colleague.person_id, "kind": "PERSON", "key": "ann", "name": "ann"}
    assert await seen(colleague.person_id) == ann | {"homeSpace": None}
    private = {"__typename": "Space", "id": me.home, "form": "private", "permission": "ADMIN"}
    assert await seen(me.home) == private | {"owner": {"key": "bot"}}
    shared = {"__typename": "Space", "id": common, "form": "common", "permission": "WRITE"}
    assert await seen(common) == shared | {"owner": None}

    for hidden in (foreign.actor_id, new_id(Kind.AGENT, api.world.clock.now())):
        assert await seen(hidden) is None
        assert api.world.statements.names[1:] == ["access/find_actors"]
    for hidden in (colleague.home, foreign.home, new_id(Kind.SPACE, api.world.clock.now())):
        assert await seen(hidden) is None
        assert api.world.statements.names[1:] == ["access/find_spaces"]
    assert (await Client(api.http, token).run(NODE, id=foreign.actor_id))["node"]["key"] == "far"
