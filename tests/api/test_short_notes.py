"""Short everyday notes with the real encoder: what a new user tries first."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from bench.everyday import draft, read
from prefrontal.api.auth import Tokens
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.bootstrap.warmup import ready_to_encode
from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.text.encoders import DEFAULT
from tests.api.conftest import SECRET, Api, in_process
from tests.api.test_search import remember, texts
from tests.support.world import World, patient


@dataclass
class Encoding:
    """A service with the default encoder, and its API."""

    api: Api
    services: Services


@pytest.fixture
async def encoding(world: World, neo4j: Endpoint) -> AsyncIterator[Encoding]:
    """The default encoder runs. Without its models, which `make deps` fetches, the fixture fails."""
    cache = load_settings().cache_dir
    settings = world.services.settings.model_copy(update={"encoder": DEFAULT, "cache_dir": cache})
    driver = connect(settings, neo4j.uri, neo4j.user, neo4j.password)
    services = patient(build_services(settings, driver, clock=world.clock))
    await ready_to_encode(services)
    tokens = Tokens(SECRET, settings, world.clock)
    async with in_process(services, tokens) as http:
        yield Encoding(Api(world, http, tokens), services)
    await services.close()


@pytest.mark.parametrize("name", ["household", "research", "nurse"])
async def test_of_twelve_questions_eleven_are_answered_the_next_day_and_one_finds_something_else_at_most(
    encoding: Encoding, world: World, name: str
) -> None:
    notes = [note for note in read("short", "notes")["notes"] if note["world"] == name]
    questions = [each for each in read("short", "questions")["questions"] if each["world"] == name]
    asked = [each for each in questions if each["answers"]]
    assert (len(notes), len(asked)) == (30, 12)
    assert len(await remember(encoding.api.client(), *map(draft, notes))) == 30
    # What missed the deadline of a busy machine: the jobs are off.
    await encoding.services.embedding.reembed()
    world.clock.advance(days=1)
    client = encoding.api.client()

    contents = {note["id"]: note["text"] for note in notes}
    answered = wrong = 0
    for question in asked:
        right = {contents[uid] for uid in question["answers"]}
        found = await texts(client, question["text"], first=10)
        answered += not right.isdisjoint(found[:3])
        wrong += not right.issuperset(found)
    assert answered >= 11
    assert wrong <= 1
