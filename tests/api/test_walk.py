"""From any thing to the things that belong to it: what a reader finds there, page by page, and what not."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.entities.rules import entity_id
from tests.api.conftest import Api, Client

ADD = """mutation ($input: AddObservationInput!) { it: addObservation(input: $input) {
    ... on AddObservationPayload { observation { id } } ... on Problem { code message field } } }"""
GOAL = """mutation ($input: UpsertGoalInput!) { it: upsertGoal(input: $input) {
    ... on UpsertGoalPayload { goal { id } } ... on Problem { code message field } } }"""
LINK = """mutation ($input: LinkObservationInput!) { it: linkObservation(input: $input) {
    ... on LinkObservationPayload { result { goal { id } } } ... on Problem { code message field } } }"""
ACTIONS = """mutation ($input: UpsertPendingActionsInput!) { it: upsertPendingActions(input: $input) {
    ... on UpsertPendingActionsPayload { results { action { id } problem { code message field } } }
    ... on Problem { code message field } } }"""
ASK = """mutation ($input: UpsertQuestionStoryInput!) { it: upsertQuestionStory(input: $input) {
    ... on UpsertQuestionStoryPayload { question { id } story { id } }
    ... on Problem { code message field } } }"""
WALK = """query ($goal: ID!, $observation: ID!, $action: ID!, $question: ID!, $story: ID!, $entity: ID!) {
  goal(id: $goal) {
    parent { title } children { totalCount nodes { title } } derivedFrom { totalCount nodes { title } }
    lineage { totalCount nodes { title } }
    evidence { totalCount edges { note node { content } } } evidenceCount
    actions { totalCount nodes { title } } blockedBy { totalCount nodes { title } }
    questions { totalCount nodes { text } } space { kind } createdBy { key } agent { key }
  }
  observation(id: $observation) {
    goals { totalCount edges { note node { title } } } linkedToGoal
    conflicts { totalCount nodes { observations { content } } }
    entities { totalCount edges { name node { mentionCount } } }
    context { goal { title } goalKey } space { kind } createdBy { key }
  }
  action: node(id: $action) { ... on PendingAction {
    goal { title } evidence { totalCount nodes { content } } evidenceRefs blockedBy { totalCount }
    confirmedBy { key } createdBy { key } actionType { id } } }
  question: node(id: $question) { ... on Question {
    goal { title } stories { totalCount nodes { narrative } } } }
  story: node(id: $story) { ... on Story {
    question { text } evidence { totalCount nodes { content } } } }
  entity(id: $entity) { observations { totalCount nodes { content } } }
  goalLineage(id: $goal, depth: 1) {
    goal { title } edges { type source { name } target { name node { __typename } } } }
}"""


async def add(client: Client, content: str, **given: Any) -> str:
    sent = {"content": content, "evaluate": False, **given}
    return (await client.run(ADD, input=sent))["it"]["observation"]["id"]


async def goal(client: Client, title: str, **given: Any) -> str:
    return (await client.run(GOAL, input={"title": title, **given}))["it"]["goal"]["id"]


async def act(client: Client, *actions: dict[str, Any], **given: Any) -> list[str]:
    results = (await client.run(ACTIONS, input={"actions": list(actions), **given}))["it"]["results"]
    return [result["action"]["id"] for result in results]


def nodes(*names: str, of: str) -> dict[str, Any]:
    return {"totalCount": len(names), "nodes": [{of: name} for name in names]}


def linked(*names: str, of: str) -> dict[str, Any]:
    return {"totalCount": len(names), "edges": [{"note": f"{name}!", "node": {of: name}} for name in names]}


async def crossing(api: Api) -> dict[str, str]:
    """Things of the common space, each with a neighbour there and one in the private space of `bot`."""
    bot = api.client()
    spaces = (await bot.run("{ spaces { nodes { id kind } } }"))["spaces"]["nodes"]
    common = next(space["id"] for space in spaces if space["kind"] == "common")
    here = {"space": common}
    seen = await add(bot, "seen", entities=[{"name": "Ann"}], **here)
    hidden = await add(bot, "hidden", contradicts=[seen], entities=[{"name": "Ann"}, {"name": "Bob"}])
    tied = await add(bot, "tied", contradicts=[seen], **here)
    above = await goal(bot, "above")
    before = [await goal(bot, "before", **here), await goal(bot, "hidden before")]
    top = await goal(bot, "top", parentGoalId=above, derivedFrom=before, **here)
    for title, more in (("child", here), ("hidden child", {})):
        await goal(bot, title, parentGoalId=top, **more)
    for uid, note in ((seen, "seen!"), (hidden, "hidden!")):
        await bot.run(LINK, input={"observationId": uid, "goalId": top, "note": note})
    await bot.run(LINK, input={"observationId": tied, "goalId": top, "note": "top!"})
    await bot.run(LINK, input={"observationId": tied, "goalId": above, "note": "above!"})
    named = await add(bot, "named", context={"goalId": above, "goalKey": "k"}, **here)
    asked: dict[str, Any] = {}
    for text, more in (("what?", here), ("hidden?", {})):
        pair = {"question": {"text": text, "goalId": top}, **more}
        asked[text] = (await bot.run(ASK, input=pair))["it"]["question"]["id"]
    story = {"narrative": "so", "evidenceRefs": [seen, hidden, "a book"]}
    told = (await bot.run(ASK, input={"question": {"id": asked["what?"]}, "story": story}))["it"]
    action, *_ = await act(
        bot,
        {"title": "do", "type": "agent_task", "goalId": top, "evidenceRefs": [hidden, "a file", seen]},
        {"title": "wait", "type": "blocker", "goalId": top},
        **here,
    )
    return {
        "goal": top,
        "observation": tied,
        "action": action,
        "question": asked["what?"],
        "story": told["story"]["id"],
        "entity": entity_id(api.world.org_id, "ann"),
        "named": named,
        "hidden_question": asked["hidden?"],
        "hidden": hidden,
    }


@pytest.mark.covers("SEC-11", "SEC-12", "GOAL-11", "GOAL-12", "GOAL-38", "GOAL-53", "OBS-53", "QST-10")
async def test_a_walk_goes_everywhere_within_the_border_and_nowhere_beyond(api: Api) -> None:
    bot, other = api.client(), api.client("other")
    ids = await crossing(api)
    wanted = {name: ids[name] for name in ("goal", "observation", "action", "question", "story", "entity")}

    mine, theirs = await bot.run(WALK, **wanted), await other.run(WALK, **wanted)

    by = {"key": "bot"}
    assert mine["goal"] == {
        "parent": {"title": "above"},
        "children": nodes("hidden child", "child", of="title"),
        "derivedFrom": nodes("before", "hidden before", of="title"),
        "lineage": nodes("above", "before", "hidden before", of="title"),
        "evidence": {
            "totalCount": 3,
            "edges": [
                {"note": "seen!", "node": {"content": "seen"}},
                {"note": "hidden!", "node": {"content": "hidden"}},
                {"note": "top!", "node": {"content": "tied"}},
            ],
        },
        "evidenceCount": 3,
        "actions": nodes("do", "wait", of="title"),
        "blockedBy": nodes("wait", of="title"),
        "questions": nodes("hidden?", "what?", of="text"),
        "space": {"kind": "common"},
        "createdBy": by,
        "agent": by,
    }
    assert theirs["goal"] == {
        **mine["goal"],
        "parent": None,
        "children": nodes("child", of="title"),
        "derivedFrom": nodes("before", of="title"),
        "lineage": nodes("before", of="title"),
        "evidence": {
            "totalCount": 2,
            "edges": [mine["goal"]["evidence"]["edges"][0], mine["goal"]["evidence"]["edges"][2]],
        },
        "questions": nodes("what?", of="text"),
    }
    # The clock stands still: links of one moment are in the order of the goals.
    assert mine["observation"]["goals"] == linked("above", "top", of="title")
    assert theirs["observation"]["goals"] == linked("top", of="title")
    assert mine["observation"]["conflicts"] == theirs["observation"]["conflicts"]
    assert theirs["observation"]["conflicts"] == {
        "totalCount": 1,
        "nodes": [{"observations": [{"content": "tied"}, {"content": "seen"}]}],
    }
    assert mine["action"] == {
        "goal": {"title": "top"},
        "evidence": nodes("hidden", "seen", of="content"),
        "evidenceRefs": [ids["hidden"], "a file", mine["action"]["evidenceRefs"][2]],
        "blockedBy": {"totalCount": 1},
        "confirmedBy": None,
        "createdBy": by,
        "actionType": {"id": "agent_task"},
    }
    assert theirs["action"] == {**mine["action"], "evidence": nodes("seen", of="content")}
    assert (
        mine["question"]
        == theirs["question"]
        == {"goal": {"title": "top"}, "stories": nodes("so", of="narrative")}
    )
    assert mine["story"] == {"question": {"text": "what?"}, "evidence": nodes("seen", "hidden", of="content")}
    assert theirs["story"] == {"question": {"text": "what?"}, "evidence": nodes("seen", of="content")}
    assert mine["entity"] == {"observations": nodes("hidden", "seen", of="content")}
    assert theirs["entity"] == {"observations": nodes("seen", of="content")}
    assert mine["goalLineage"]["goal"] == theirs["goalLineage"]["goal"] == {"title": "top"}
    assert {edge["source"]["name"] for edge in mine["goalLineage"]["edges"]} >= {"hidden", "hidden child"}
    assert {edge["source"]["name"] for edge in theirs["goalLineage"]["edges"]} == {
        "child",
        "top",
        "seen",
        "tied",
        "do",
        "wait",
        "what?",
        "so",
    }
    assert all(edge["target"]["node"] for edge in theirs["goalLineage"]["edges"])


@pytest.mark.covers("SEC-11", "SEC-12")
async def test_a_reference_to_what_may_not_be_read_is_answered_as_one_to_nothing(api: Api) -> None:
    bot, other = api.client(), api.client("other")
    ids = await crossing(api)
    query = """query ($named: ID!, $seen: ID!) {
        observation(id: $named) { context { goal { title } goalKey } space { kind } createdBy { key } }
        tied: observation(id: $seen) { conflicts { totalCount nodes { observations { content } } }
            entities { totalCount edges { name kind node { mentionCount } } } } }"""
    seen = (await bot.run("{ observations { nodes { id content } } }"))["observations"]["nodes"]
    named = {"named": ids["named"], "seen": next(o["id"] for o in seen if o["content"] == "seen")}

    mine, theirs = await bot.run(query, **named), await other.run(query, **named)

    assert mine["observation"]["context"] == {"goal": {"title": "above"}, "goalKey": "k"}
    assert theirs["observation"]["context"] == {"goal": None, "goalKey": "k"}
    assert theirs["observation"]["createdBy"] == {"key": "bot"}
    assert [c["observations"][0]["content"] for c in mine["tied"]["conflicts"]["nodes"]] == ["tied", "hidden"]
    assert theirs["tied"]["conflicts"] == {
        "totalCount": 1,
        "nodes": [{"observations": [{"content": "tied"}, {"content": "seen"}]}],
    }
    ann = {"name": "Ann", "kind": None}
    assert mine["tied"]["entities"] == {"totalCount": 1, "edges": [{**ann, "node": {"mentionCount": 2}}]}
    assert theirs["tied"]["entities"] == {"totalCount": 1, "edges": [{**ann, "node": {"mentionCount": 1}}]}
    # The statement that does not find the goal is the one that finds none.
    api.world.statements.clear()
    await other.run(query, **named)
    foreign = api.world.statements.counts
    api.world.statements.clear()
    await bot.run(query, **named)
    assert api.world.statements.counts == foreign
    hidden = "query ($id: ID!) { node(id: $id) { ... on Question { goal { title } } } }"
    assert await other.run(hidden, id=ids["hidden_question"]) == {"node": None}
    assert await bot.run(hidden, id=ids["hidden_question"]) == {"node": {"goal": {"title": "top"}}}


LISTS = {
    "children": ("goal", "nodes { title }", "title"),
    "derivedFrom": ("goal", "nodes { title }", "title"),
    "lineage": ("goal", "nodes { title }", "title"),
    "evidence": ("goal", "nodes { content }", "content"),
    "actions": ("goal", "nodes { title }", "title"),
    "blockedBy": ("goal", "nodes { title }", "title"),
    "questions": ("goal", "nodes { text }", "text"),
}


async def five_of_everything(client: Client) -> str:
    """A goal with five of each of its lists."""
    sources = [await goal(client, f"s{n}") for n in range(5)]
    top = await goal(client, "top", derivedFrom=sources)
    for n in range(5):
        await goal(client, f"c{n}", parentGoalId=top, priority="high" if n % 2 else "low")
        uid = await add(client, f"o{n}")
        await client.run(LINK, input={"observationId": uid, "goalId": top})
        await client.run(ASK, input={"question": {"text": f"q{n}", "goalId": top}})
    await act(client, *({"title": f"a{n}", "type": "blocker", "goalId": top} for n in range(5)))
    return top


async def test_the_pages_of_every_list_follow_each_other(api: Api) -> None:
    client = api.client()
    top = await five_of_everything(client)
    found: dict[str, list[list[str]]] = {}
    for name, (_, selected, field) in LISTS.items():
        page = f"{selected} edges {{ cursor }} pageInfo {{ hasNextPage endCursor }} totalCount"
        query = f"""query ($id: ID!, $after: String) {{ goal(id: $id) {{
            it: {name}(first: 2, after: $after) {{ {page} }} }} }}"""
        after, pages, more = None, [], True
        while more:
            got = (await client.run(query, id=top, after=after))["goal"]["it"]
            assert got["totalCount"] == 5
            pages.append([node[field] for node in got["nodes"]])
            after, more = got["pageInfo"]["endCursor"], got["pageInfo"]["hasNextPage"]
            assert got["edges"][-1]["cursor"] == after
        found[name] = pages
    in_order = {letter: [f"{letter}{n}" for n in range(5)] for letter in "soaq"}
    assert {name: [text for page in pages for text in page] for name, pages in found.items()} == {
        "children": ["c3", "c1", "c4", "c2", "c0"],
        "derivedFrom": in_order["s"],
        "lineage": in_order["s"],
        "evidence": in_order["o"],
        "actions": in_order["a"],
        "blockedBy": in_order["a"],
        "questions": in_order["q"][::-1],
    }
    assert {tuple(map(len, pages)) for pages in found.values()} == {(2, 2, 1)}


async def test_a_page_that_cannot_be_is_refused_with_its_argument(api: Api) -> None:
    client = api.client()
    top = await goal(client, "top")
    for arguments, field in (
        ("first: 0", "first"),
        ("first: 101", "first"),
        ('after: "x"', "after"),
        ('after: "WzFd"', "after"),
    ):
        for name in LISTS:
            query = f"query ($id: ID!) {{ goal(id: $id) {{ {name}({arguments}) {{ totalCount }} }} }}"
            (error,) = await client.errors(query, id=top)
            assert error["extensions"] == {"code": "invalid", "field": field}
            assert error["path"] == ["goal", name]


async def test_a_mutation_shows_the_lists_as_it_left_them(api: Api) -> None:
    client = api.client()
    top = await goal(client, "top")
    below = await goal(client, "below", parentGoalId=top)
    moved = await client.run(
        """mutation ($a: UpsertGoalInput!, $b: UpsertGoalInput!) {
            a: upsertGoal(input: $a) { ... on UpsertGoalPayload { goal { children { nodes { title } } } } }
            b: upsertGoal(input: $b) { ... on UpsertGoalPayload { goal { parent { title children {
                nodes { title } } } } } } }""",
        a={"id": top, "title": "higher"},
        b={"id": below, "title": "lower"},
    )
    assert moved == {
        "a": {"goal": {"children": {"nodes": [{"title": "below"}]}}},
        "b": {"goal": {"parent": {"title": "higher", "children": {"nodes": [{"title": "lower"}]}}}},
    }
