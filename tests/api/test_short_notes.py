"""Short everyday notes with the real encoder: what a new user tries first."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bench.everyday import draft, read
from prefrontal.api.auth import Tokens
from prefrontal.graph.bootstrap.warmup import ready_to_encode
from prefrontal.graph.config.settings import Settings, load_settings
from prefrontal.graph.embedded import EmbeddedNeo4j
from prefrontal.graph.text.encoders import DEFAULT
from tests.api.conftest import SECRET, Api, in_process
from tests.api.test_search import remember, search, texts
from tests.fault.conftest import world_at
from tests.support.database import endpoint_of

# They start a server of their own: the shared one has vectors of another encoder.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.nightly("the rules by which it searches: tests/graph/test_search.py"),
]


@pytest.fixture
async def encoding(settings: Settings, server: EmbeddedNeo4j) -> AsyncIterator[Api]:
    """The API with the default encoder. Without its models, which `make deps` fetches, the fixture fails."""
    given = settings.model_copy(update={"encoder": DEFAULT, "cache_dir": load_settings().cache_dir})
    async for world in world_at(given, endpoint_of(server)):
        await ready_to_encode(world.services)
        tokens = Tokens(SECRET, given, world.clock)
        async with in_process(world.services, tokens) as http:
            yield Api(world, http, tokens)


@pytest.mark.alone
@pytest.mark.parametrize("name", ["household", "research", "nurse"])
async def test_of_twelve_questions_eleven_are_answered_the_next_day_and_one_finds_something_else_at_most(
    encoding: Api, name: str
) -> None:
    notes = [note for note in read("short", "notes")["notes"] if note["world"] == name]
    questions = [each for each in read("short", "questions")["questions"] if each["world"] == name]
    asked = [each for each in questions if each["answers"]]
    assert (len(notes), len(asked)) == (30, 12)
    assert len(await remember(encoding.client(), *map(draft, notes))) == 30
    # What missed the deadline of a busy machine: the jobs are off.
    await encoding.world.services.embedding.reembed()
    encoding.world.clock.advance(days=1)
    client = encoding.client()

    contents = {note["id"]: note["text"] for note in notes}
    answered = wrong = 0
    for question in asked:
        right = {contents[uid] for uid in question["answers"]}
        found = await texts(client, question["text"], first=10)
        answered += not right.isdisjoint(found[:3])
        wrong += not right.issuperset(found)
    assert answered >= 11
    assert wrong <= 1


@pytest.mark.alone
async def test_a_question_in_a_script_that_the_encoder_does_not_know_finds_what_has_its_words(
    encoding: Api,
) -> None:
    client = encoding.client()
    known = ["The corkscrew is in the top drawer", "Bob was born on 4 May"]
    unknown = ["🎉🎉", "გასაღები სამზარეულოშია", "ᚠᚢᚦ"]
    await remember(client, *({"kind": "FACT", "content": note} for note in [*known, *unknown]))
    await encoding.world.services.embedding.reembed()
    rows = await encoding.world.rows(
        "MATCH (m:Memory {org_id: $org}) WHERE m.embedding_a IS NULL RETURN m.content AS text ORDER BY m.uid"
    )
    assert [row["text"] for row in rows] == unknown

    for question in ("🚀🚀", "გამარჯობა", "ሰላም", "សួស្តី", "ᚱᚢᚾ"):
        assert await search(client, question) == {
            "partial": False, "pageInfo": {"hasNextPage": False, "endCursor": None}, "edges": [], "nodes": [],
        }, question  # fmt: skip
    assert await texts(client, "გასაღები?") == ["გასაღები სამზარეულოშია"]
    assert await texts(client, "ᚠᚢᚦ") == ["ᚠᚢᚦ"]
    assert await texts(client, "Where is the corkscrew?") == ["The corkscrew is in the top drawer"]
