"""Questions and stories over HTTP: what they cost, what is refused, what a stranger sees."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Api, Client

pytestmark = pytest.mark.nightly(
    "its rules are tested on the graph; each query and mutation over HTTP: the walks"
)

UPSERT = """mutation ($input: UpsertQuestionStoryInput!) { it: upsertQuestionStory(input: $input) {
    __typename
    ... on UpsertQuestionStoryPayload { questionCreated storyCreated
        question { id text goal { id } priority status owner tags version stories { nodes { id } } }
        story { id narrative question { id } acceptanceCriteria evidenceRefs evidence { nodes { id } }
            status version } }
    ... on Problem { code field problems { code field } } } }"""
ARCHIVE_QUESTION = """mutation ($id: ID!) { it: archiveQuestion(input: {id: $id}) { __typename
    ... on ArchiveQuestionPayload { question { status stories { nodes { id } } } }
    ... on Problem { code message field } } }"""
ARCHIVE_STORY = """mutation ($id: ID!) { it: archiveStory(input: {id: $id}) { __typename
    ... on ArchiveStoryPayload { story { status } } ... on Problem { code message field } } }"""
CREATE = """mutation ($title: String!) { createGoal(input: {title: $title}) {
    ... on CreateGoalPayload { goal { id } } } }"""
NODE = "query ($id: ID!) { node(id: $id) { id ... on Question { text } ... on Story { narrative } } }"
HALF = "half \ud800"


async def goal(client: Client, title: str = "Wine") -> str:
    return (await client.run(CREATE, title=title))["createGoal"]["goal"]["id"]


async def new_question(client: Client, text: str = "Which?", **fields: Any) -> dict[str, Any]:
    given = {"question": {"text": text, **fields}, "story": {"narrative": "Red"}}
    return (await client.run(UPSERT, input=given))["it"]


async def test_a_pair_is_written_found_and_put_away(api: Api) -> None:
    client = api.client()
    wine = await goal(client)
    given = {
        "question": {
            "text": "Which?",
            "goalId": wine,
            "owner": "USER",
            "tags": ["a"],
            "priority": "4",
            "status": "OPEN",
        },
        "story": {
            "narrative": "Red",
            "acceptanceCriteria": ["dry"],
            "evidenceRefs": ["a book"],
            "status": "ACTIVE",
        },
    }
    made = (await client.run(UPSERT, input=given))["it"]
    question, story = made["question"]["id"], made["story"]["id"]
    assert made == {
        "__typename": "UpsertQuestionStoryPayload",
        "questionCreated": True,
        "storyCreated": True,
        "question": {
            "id": question,
            "text": "Which?",
            "goal": {"id": wine},
            "priority": "critical",
            "status": "OPEN",
            "owner": "USER",
            "tags": ["a"],
            "version": 1,
            "stories": {"nodes": [{"id": story}]},
        },
        "story": {
            "id": story,
            "narrative": "Red",
            "question": {"id": question},
            "acceptanceCriteria": ["dry"],
            "evidenceRefs": ["a book"],
            "evidence": {"nodes": []},
            "status": "ACTIVE",
            "version": 1,
        },
    }
    assert (await client.run(NODE, id=question))["node"] == {"id": question, "text": "Which?"}
    assert (await client.run(NODE, id=story))["node"] == {"id": story, "narrative": "Red"}
    before = await api.world.counts()
    wrong = {"question": {"id": question, "tags": ["fine", ""]}, "story": {"narrative": "White"}}
    problem = (await client.run(UPSERT, input=wrong))["it"]
    assert (problem["code"], problem["field"]) == ("invalid", "question.tags[1]")
    assert await api.world.counts() == before
    assert (await client.run(ARCHIVE_STORY, id=story))["it"]["story"] == {"status": "ARCHIVED"}
    assert (await client.run(ARCHIVE_QUESTION, id=question))["it"]["question"] == {
        "status": "ARCHIVED",
        "stories": {"nodes": []},
    }
    listed = """{ questions { totalCount nodes { id } } stories { totalCount nodes { id } }
        old: questions(filter: {status: [ARCHIVED]}) { totalCount edges { node { id } } }
        told: stories(filter: {status: [ARCHIVED]}) { totalCount edges { node { id } } } }"""
    found = await client.run(listed)
    assert found["questions"] == found["stories"] == {"totalCount": 0, "nodes": []}
    assert found["old"]["edges"] == [{"node": {"id": question}}]
    assert found["told"]["edges"] == [{"node": {"id": story}}]
    assert (found["old"]["totalCount"], found["told"]["totalCount"]) == (1, 1)


@pytest.mark.covers("QST-16")
@pytest.mark.parametrize("number", [1, 12])
async def test_goals_with_their_questions_and_stories_cost_four_statements(api: Api, number: int) -> None:
    client = api.client()
    goals = [await goal(client, str(n)) for n in range(number)]
    made = {uid: await new_question(client, uid, goalId=uid) for uid in goals}
    api.world.statements.clear()
    query = "{ goals { nodes { id questions { nodes { text stories { nodes { id } } } } } } }"
    found = (await client.run(query))["goals"]["nodes"]
    assert {node["id"]: node["questions"]["nodes"] for node in found} == {
        uid: [{"text": uid, "stories": {"nodes": [{"id": pair["story"]["id"]}]}}]
        for uid, pair in made.items()
    }
    assert api.world.statements.counts == {
        "access/find_caller": 1,
        "goals/list_goals": 1,
        "questions/list_questions_of_goals": 1,
        "questions/list_stories_of_questions": 1,
    }


async def test_a_filter_that_is_no_text_is_refused_with_its_name(api: Api) -> None:
    for query, field in (
        ("query ($t: ID!) { questions(goalId: $t) { totalCount } }", "goalId"),
        ("query ($t: ID!) { stories(questionId: $t) { totalCount } }", "questionId"),
        ("query ($t: String!) { questions(filter: {tags: [$t]}) { totalCount } }", "filter.tags[0]"),
    ):
        errors = await api.client().errors(query, t=HALF)
        assert {error["extensions"]["field"] for error in errors} == {field}


@pytest.mark.covers("QST-26")
async def test_an_answer_is_found_through_its_goal_after_its_question_is_closed(api: Api) -> None:
    client = api.client()
    made = await client.run(
        'mutation { it: createGoal(input: {title: "Dine"}) { ... on CreateGoalPayload { goal { id } } } }'
    )
    goal = made["it"]["goal"]["id"]
    answered = {"question": {"text": "Which wine?", "goalId": goal}, "story": {"narrative": "Red"}}
    question = (await client.run(UPSERT, input=answered))["it"]["question"]["id"]
    closed = {"question": {"id": question, "status": "ANSWERED"}}
    await client.run(UPSERT, input=closed)
    await client.run(UPSERT, input={"question": {"text": "Which bread?", "goalId": goal}})
    found = """query ($id: ID!) { goal(id: $id) { questions { totalCount nodes { text } }
        answeredQuestions { totalCount nodes { text stories { nodes { narrative } } } } } }"""

    assert (await client.run(found, id=goal))["goal"] == {
        "questions": {"totalCount": 1, "nodes": [{"text": "Which bread?"}]},
        "answeredQuestions": {
            "totalCount": 1,
            "nodes": [{"text": "Which wine?", "stories": {"nodes": [{"narrative": "Red"}]}}],
        },
    }
    assert (await api.client("other").run(found, id=goal))["goal"] is None
