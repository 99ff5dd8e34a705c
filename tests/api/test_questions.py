"""Questions and stories over HTTP: what they cost, what is refused, what a stranger sees."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.ids import Kind, new_id
from tests.api.conftest import Api, Client

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
MEGABYTE = "a" * 1_000_000
HALF = "half \ud800"
LONG = "k" * 201


async def goal(client: Client, title: str = "Wine") -> str:
    return (await client.run(CREATE, title=title))["createGoal"]["goal"]["id"]


async def asked(client: Client, text: str = "Which?", **fields: Any) -> dict[str, Any]:
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
    cleared = {"question": {"id": question, "goalId": None, "owner": None, "tags": None, "priority": None}}
    after = (await client.run(UPSERT, input=cleared))["it"]
    assert after["story"] is None
    assert [after["question"][name] for name in ("goal", "owner", "tags", "priority", "version")] == [
        None,
        None,
        [],
        "medium",
        2,
    ]
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
    made = {uid: await asked(client, uid, goalId=uid) for uid in goals}
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


BROKEN: list[tuple[dict[str, Any], dict[str, Any], str, str]] = [
    ({"text": ""}, {}, "invalid", "question.text"),
    ({"text": " \t\u3000"}, {}, "invalid", "question.text"),
    ({"text": None}, {}, "invalid", "question.text"),
    ({"text": MEGABYTE}, {}, "too_large", "question.text"),
    ({"text": HALF}, {}, "invalid", "question.text"),
    ({"goalId": MEGABYTE}, {}, "too_large", "question.goalId"),
    ({"goalId": HALF}, {}, "invalid", "question.goalId"),
    ({"goalId": "made up"}, {}, "not_found", "question.goalId"),
    ({"priority": "soon"}, {}, "invalid", "question.priority"),
    ({"tags": [""]}, {}, "invalid", "question.tags[0]"),
    ({"tags": ["fine", MEGABYTE]}, {}, "too_large", "question.tags[1]"),
    ({"tags": [HALF]}, {}, "invalid", "question.tags[0]"),
    ({"tags": [f"t{n}" for n in range(51)]}, {}, "too_large", "question.tags"),
    ({"clientKey": ""}, {}, "invalid", "question.clientKey"),
    ({"clientKey": LONG}, {}, "too_large", "question.clientKey"),
    ({"clientKey": HALF}, {}, "invalid", "question.clientKey"),
    ({"status": "ARCHIVED"}, {}, "invalid", "question.status"),
    ({"id": "made up"}, {}, "not_found", "question.id"),
    ({"id": HALF}, {}, "not_found", "question.id"),
    ({"expectedVersion": 1}, {}, "version_conflict", "question.expectedVersion"),
    ({}, {"narrative": ""}, "invalid", "story.narrative"),
    ({}, {"narrative": None}, "invalid", "story.narrative"),
    ({}, {"narrative": MEGABYTE}, "too_large", "story.narrative"),
    ({}, {"narrative": HALF}, "invalid", "story.narrative"),
    ({}, {"acceptanceCriteria": ["fine", ""]}, "invalid", "story.acceptanceCriteria[1]"),
    ({}, {"acceptanceCriteria": [MEGABYTE]}, "too_large", "story.acceptanceCriteria[0]"),
    ({}, {"acceptanceCriteria": [HALF]}, "invalid", "story.acceptanceCriteria[0]"),
    ({}, {"acceptanceCriteria": ["c"] * 101}, "too_large", "story.acceptanceCriteria"),
    ({}, {"removeAcceptanceCriteria": [HALF]}, "invalid", "story.removeAcceptanceCriteria[0]"),
    ({}, {"evidenceRefs": [""]}, "invalid", "story.evidenceRefs[0]"),
    ({}, {"evidenceRefs": [MEGABYTE]}, "too_large", "story.evidenceRefs[0]"),
    ({}, {"evidenceRefs": [HALF]}, "invalid", "story.evidenceRefs[0]"),
    ({}, {"evidenceRefs": ["r"] * 201}, "too_large", "story.evidenceRefs"),
    ({}, {"clientKey": MEGABYTE}, "too_large", "story.clientKey"),
    ({}, {"id": "made up"}, "not_found", "story.id"),
    ({}, {"id": HALF}, "not_found", "story.id"),
    ({}, {"status": "ARCHIVED"}, "invalid", "story.status"),
]


@pytest.mark.parametrize(("question", "story", "code", "field"), BROKEN)
async def test_what_breaks_a_rule_is_a_problem_that_names_the_field(
    api: Api, question: dict[str, Any], story: dict[str, Any], code: str, field: str
) -> None:
    client = api.client()
    await client.run("{ me { orgId } }")
    before = await api.world.counts()
    given = {"question": {"text": "Which?", **question}, "story": {"narrative": "Red", **story}}
    problem = (await client.run(UPSERT, input=given))["it"]
    assert problem["__typename"] == "Problem"
    assert (problem["code"], problem["field"]) == (code, field)
    assert await api.world.counts() == before


async def test_filters_and_reasons_that_are_no_text_are_refused(api: Api) -> None:
    client = api.client()
    made = await asked(client)
    before = await api.world.counts()
    for text in ("", MEGABYTE, HALF):
        for query, field in (
            ("query ($t: ID!) { questions(goalId: $t) { totalCount } }", "goalId"),
            ("query ($t: ID!) { stories(questionId: $t) { totalCount } }", "questionId"),
            ("query ($t: String!) { questions(filter: {tags: [$t]}) { totalCount } }", "filter.tags[0]"),
        ):
            errors = await client.errors(query, t=text)
            assert {error["extensions"]["field"] for error in errors} == {field}
        for kind, uid in (("Question", made["question"]["id"]), ("Story", made["story"]["id"])):
            query = (
                f"mutation ($id: ID!, $t: String!) {{ it: archive{kind}(input: {{id: $id, reason: $t}}) "
                "{ ... on Problem { field } } }"
            )
            assert (await client.run(query, id=uid, t=text))["it"] == {"field": "reason"}
    assert await api.world.counts() == before


async def test_what_is_foreign_answers_as_what_never_was(api: Api) -> None:
    client, stranger = api.client(), api.client("stranger", roles=("admin",))
    await stranger.run("{ me { orgId } }")
    made = await asked(client)
    now = api.world.clock.now()
    before = await api.world.counts()
    for key, kind, archive in (
        ("question", Kind.QUESTION, ARCHIVE_QUESTION),
        ("story", Kind.STORY, ARCHIVE_STORY),
    ):
        ids = [made[key]["id"], new_id(kind, now), "made up", HALF]
        for query in (NODE, archive):
            given = {(await stranger.post(query, id=uid)).content for uid in ids}
            assert len(given) == 1, (key, query)
            assert b'"errors"' not in given.pop()
    for query in (
        "query ($id: ID!) { stories(questionId: $id) { totalCount nodes { id } } }",
        "query ($id: ID!) { questions(goalId: $id) { totalCount nodes { id } } }",
    ):
        ids = [made["question"]["id"], new_id(Kind.QUESTION, now), "made up"]
        assert len({(await stranger.post(query, id=uid)).content for uid in ids}) == 1
    assert await api.world.counts() == before


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
