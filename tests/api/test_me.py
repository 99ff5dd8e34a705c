"""From the caller to its spaces, and to what each space holds."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace
from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from prefrontal.graph.cortex.actions.record import PendingActionDraft
from prefrontal.graph.cortex.goals.record import CreateGoal, ShareGoal
from prefrontal.graph.cortex.questions.record import QuestionDraft, UpsertQuestionStory
from prefrontal.graph.scratch.record import ObservationDraft
from tests.api.conftest import Api

pytestmark = pytest.mark.nightly(
    "its rules are tested on the graph; each query and mutation over HTTP: the walks"
)

SPACES = """query ($first: Int, $after: String) { me {
    readableSpaces(first: $first, after: $after) { totalCount nodes { id permission owner { key } }
        pageInfo { hasNextPage endCursor } }
    writableSpaces { totalCount nodes { id } } } spaces { nodes { id } } }"""
HELD = """query ($first: Int, $after: String) { me { readableSpaces { nodes { name
    goals { totalCount nodes { title } }
    observations(first: $first, after: $after) { totalCount nodes { content } pageInfo { endCursor } }
    questions { totalCount nodes { text goal { id } } }
    pendingActions { totalCount nodes { title } } } } } }"""


async def test_the_caller_walks_the_spaces_that_it_may_read_and_write(api: Api) -> None:
    bot = await api.world.caller("bot")
    team = await api.world.services.access.create_space(bot, CreateSpace(name="Team"))
    bot = await api.world.caller("bot")
    client = api.client("bot")

    me = (await client.run(SPACES))["me"]
    assert [space["id"] for space in me["readableSpaces"]["nodes"]] == sorted(bot.readable)
    assert [space["id"] for space in me["writableSpaces"]["nodes"]] == sorted(bot.writable)
    assert (me["readableSpaces"]["totalCount"], me["writableSpaces"]["totalCount"]) == (3, 3)
    known = {space["id"]: (space["permission"], space["owner"]) for space in me["readableSpaces"]["nodes"]}
    assert known[bot.home] == ("ADMIN", {"key": "bot"})
    assert known[team] == ("ADMIN", None)

    api.world.statements.clear()
    page = await client.run(SPACES, first=2)
    assert api.world.statements.counts == {
        "access/find_caller": 1,
        "access/find_spaces": 1,
        "access/find_actors": 1,
    }
    first = page["me"]["readableSpaces"]
    assert first["pageInfo"]["hasNextPage"] is True
    last = (await client.run(SPACES, after=first["pageInfo"]["endCursor"]))["me"]["readableSpaces"]
    assert [space["id"] for space in (*first["nodes"], *last["nodes"])] == sorted(bot.readable)
    assert last["pageInfo"]["hasNextPage"] is False
    assert [space["id"] for space in page["spaces"]["nodes"]] == sorted(bot.readable)
    # The failing field ends those beside it, and with them nothing that `spaces` waits for.
    for wrong in ({"first": 0}, {"first": 101}, {"after": "x"}):
        (error,) = await client.errors(SPACES, **wrong)
        assert error["extensions"]["code"] == "invalid"


@pytest.mark.covers("SEC-11", "SEC-14")
async def test_each_space_lists_what_it_holds_and_nothing_of_another_space(api: Api) -> None:
    services = api.world.services
    bot, other = await api.world.caller("bot"), await api.world.caller("other")
    team = await services.access.create_space(bot, CreateSpace(name="Team"))
    bot = await api.world.caller("bot")
    goal = await services.goals.service.create(
        bot,
        CreateGoal(
            title="Buy tea",
            space=team,
            pending_actions=(PendingActionDraft(type="research", title="Find a shop"),),
        ),
    )
    theirs = await services.goals.service.create(other, CreateGoal(title="Shared with the bot"))
    await services.goals.sharing.share(
        other,
        ShareGoal(
            goal_id=theirs.uid, actor=Actor(kind=ActorKind.AGENT, key="bot"), permission=SpacePermission.READ
        ),
    )
    notes = [ObservationDraft(content=f"note {number}") for number in range(3)]
    await services.scratch.service.add(bot, notes)
    await services.scratch.service.add(other, [ObservationDraft(content="private")])
    # The question is in the bot's own space, and about a goal in another space.
    await services.questions.upsert.upsert(
        bot, UpsertQuestionStory(question=QuestionDraft(text="Which tea?", goal_id=goal.uid))
    )

    client = api.client("bot")

    async def held(**page: Any) -> dict[str, Any]:
        found = (await client.run(HELD, **page))["me"]["readableSpaces"]["nodes"]
        return {space["name"]: space for space in found}

    empty = {"totalCount": 0, "nodes": []}
    spaces = await held(first=2)
    assert spaces["Team"] == {
        "name": "Team",
        "goals": {"totalCount": 1, "nodes": [{"title": "Buy tea"}]},
        "observations": {**empty, "pageInfo": {"endCursor": None}},
        "questions": empty,
        "pendingActions": {"totalCount": 1, "nodes": [{"title": "Find a shop"}]},
    }
    own = spaces["bot"]
    assert own["goals"] == empty
    assert own["pendingActions"] == empty
    assert own["questions"] == {"totalCount": 1, "nodes": [{"text": "Which tea?", "goal": {"id": goal.uid}}]}
    assert own["observations"]["totalCount"] == 3
    assert [note["content"] for note in own["observations"]["nodes"]] == ["note 2", "note 1"]
    rest = (await held(after=own["observations"]["pageInfo"]["endCursor"]))["bot"]["observations"]
    assert [note["content"] for note in rest["nodes"]] == ["note 0"]
    # The shared goal is found by the list of all readable goals, not in a space that the bot may read.
    assert {
        goal["title"] for goal in (await client.run("{ goals { nodes { title } } }"))["goals"]["nodes"]
    } == {
        "Buy tea",
        "Shared with the bot",
    }
