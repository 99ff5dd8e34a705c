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
from tests.api.test_search import remember, texts
from tests.fault.conftest import world_at

# They start a server of their own: the shared one has vectors of another encoder.
pytestmark = pytest.mark.slow


@pytest.fixture
async def encoding(settings: Settings, server: EmbeddedNeo4j) -> AsyncIterator[Api]:
    """The API with the default encoder. Without its models, which `make deps` fetches, the fixture fails."""
    given = settings.model_copy(update={"encoder": DEFAULT, "cache_dir": load_settings().cache_dir})
    async for world in world_at(given, server):
        await ready_to_encode(world.services)
        tokens = Tokens(SECRET, given, world.clock)
        async with in_process(world.services, tokens) as http:
            yield Api(world, http, tokens)


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
