"""What a conversation was about: its key topics and its decisions, as a client reads them after each turn."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.memory.record import Forget, MemoryDraft, MemoryKind, Remember
from tests.api.conftest import Api, Client
from tests.api.test_commit_turn import committed, goal_of

pytestmark = pytest.mark.nightly(
    "its rules are tested on the graph; each query and mutation over HTTP: the walks"
)

READ = """query ($key: String!, $space: ID) { it: conversationSummary(conversation: $key, space: $space) {
  key text space { id } keyTopics { name messages }
  decisions { text at turn { key } of { id __typename } } } }"""


async def read(client: Client, key: str = "chat", space: str | None = None) -> Any:
    return (await client.run(READ, key=key, space=space))["it"]


@pytest.mark.covers("TURN-120", "TURN-121")
async def test_each_turn_that_ends_updates_topics_and_decisions(api: Api) -> None:
    bot = api.client()
    assert await read(bot) is None
    began = api.world.clock.now().isoformat()
    goal = await goal_of(bot)
    await committed(
        bot,
        conversation="chat",
        userInput="Which hotel do we take in Paris?",
        assistantResponse="The hotel near the river.",
        newActions=[{"title": "Book the hotel", "type": "agent_task"}],
    )
    found = await read(bot)
    # Too short for a line about older messages.
    assert (found["key"], found["text"]) == ("chat", None)
    assert found["keyTopics"][0] == {"name": "hotel", "messages": 2}
    assert {"paris", "river"} <= {each["name"] for each in found["keyTopics"]}
    # The goal was made outside of the turn.
    (added,) = found["decisions"]
    action = added["of"]["id"]
    assert added == {
        "text": "Action added: Book the hotel",
        "at": began,
        "turn": {"key": "t"},
        "of": {"id": action, "__typename": "PendingAction"},
    }
    api.world.clock.advance(seconds=1)
    await bot.run(
        'mutation { startTurn(input: {turnId: "u"}) { __typename } '
        'createGoal(input: {title: "See the river", turnId: "u"}) { __typename } }'
    )
    await committed(
        bot,
        turnId="u",
        conversation="chat",
        userInput="And the river?",
        assistantResponse="We see it tomorrow.",
        completedGoals=[{"id": goal}],
        completedActions=[{"id": action}],
    )
    found = await read(bot)
    assert [each["text"] for each in found["decisions"]] == [
        "Action added: Book the hotel",
        "Action completed: Book the hotel",
        "Goal completed: Plan the trip to Paris",
        "Goal founded: See the river",
    ]
    assert [each["turn"]["key"] for each in found["decisions"]] == ["t", "u", "u", "u"]
    assert found["keyTopics"][:2] == [{"name": "river", "messages": 2}, {"name": "hotel", "messages": 2}]


@pytest.mark.covers("TURN-120", "TURN-121")
async def test_what_was_forgotten_is_in_neither(api: Api) -> None:
    bot, world = api.client(), api.world
    await committed(
        bot,
        conversation="chat",
        userInput="The password is Xanadu",
        newActions=[{"title": "Keep Xanadu", "type": "agent_task"}, {"title": "Rest", "type": "agent_task"}],
    )
    assert "xanadu" in {each["name"] for each in (await read(bot))["keyTopics"]}
    caller = await world.caller()
    memory = world.services.memory
    (note,) = (
        await memory.remember(
            caller, Remember(memories=[MemoryDraft(kind=MemoryKind.FACT, content="keep xanadu")])
        )
    ).memories
    await memory.forget(caller, Forget(id=note.uid))
    # The text of the title is gone from the space.
    assert [each["text"] for each in (await read(bot))["decisions"]] == ["Action added: Rest"]
    (row,) = await world.rows("MATCH (m:Message {org_id: $org}) RETURN m.uid AS uid")
    await memory.forget(caller, Forget(id=row["uid"]))
    found = await read(bot)
    assert (found["keyTopics"], found["decisions"]) == ([], [])


@pytest.mark.covers("TURN-121")
async def test_another_agent_reads_no_decision_of_a_turn_that_it_may_not_read(api: Api) -> None:
    bot, other = api.client(), api.client("other")
    await other.run("{ me { orgId } }")
    space = (
        await bot.run(
            'mutation { createSpace(input: {name: "Trip"}) { ... on CreateSpacePayload { space { id } } } }'
        )
    )["createSpace"]["space"]["id"]
    await bot.run(
        "mutation ($space: ID!) { grantAccess(input: {space: $space, permission: READ, "
        'actor: {kind: AGENT, key: "other"}}) { __typename } }',
        space=space,
    )
    await other.run(
        "mutation ($space: ID!) { acceptGrant(input: {space: $space}) { __typename } }", space=space
    )
    await committed(
        bot,
        space=space,
        conversation="chat",
        userInput="Which hotel?",
        newActions=[{"title": "Book the hotel", "type": "agent_task"}],
    )
    assert await read(other) is None
    theirs, own = await read(other, space=space), await read(bot, space=space)
    assert [each["text"] for each in own["decisions"]] == ["Action added: Book the hotel"]
    assert theirs["decisions"] == []
    assert theirs["keyTopics"] == own["keyTopics"] == [{"name": "hotel", "messages": 1}]
