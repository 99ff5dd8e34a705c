"""Every way in stores a memory's vector and its terms; no failure of the encoder fails a write."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.memory.record import Forget, MemoryDraft, MemoryKind, Remember, Supersede
from prefrontal.graph.scratch.record import (
    ArchiveObservation,
    ObservationDraft,
    ObservationUpdate,
    SweepExpired,
    UpdateObservation,
    UpdateObservations,
)
from prefrontal.graph.text.encoder import Encoder, HashEncoder, Vector
from prefrontal.graph.turns.record import CommitAtTurnEnd, TurnMemory, TurnObservation
from tests.support.embedding import embedded
from tests.support.world import World

FACT, MESSAGE = MemoryKind.FACT, MemoryKind.MESSAGE


class Failing(HashEncoder):
    """Knows no text with a word in it."""

    def __init__(self, word: str = "") -> None:
        self.word = word
        self.asked: list[list[str]] = []

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        self.asked.append(list(texts))
        if any(self.word in text for text in texts):
            raise RuntimeError(self.word)
        return await super().passages(texts)


class Waiting(HashEncoder):
    """Encodes nothing until it is told to."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.done = asyncio.Event()
        self.asked = 0

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        self.asked += 1
        await self.go.wait()
        self.done.set()
        return await super().passages(texts)


class Other(HashEncoder):
    """Another model with shorter vectors."""

    name = "other"
    dimensions = 8


def served(world: World, encoder: Encoder, *, deadline_ms: int | None = None) -> World:
    """The same world, served by a process with another encoder."""
    services = world.services
    catalog = services.catalog
    if deadline_ms is not None:
        memory = catalog.memory.model_copy(update={"embedding_deadline_ms": deadline_ms})
        catalog = catalog.model_copy(update={"memory": memory})
    other = build_services(
        services.settings, services.database.driver, clock=world.clock, catalog=catalog, encoder=encoder
    )
    return World(other, world.clock, world.statements, world.org, world.org_id)


async def remember(world: World, *contents: str, **fields: Any) -> list[str]:
    caller = await world.caller()
    drafts = [MemoryDraft(kind=FACT, content=content, **fields) for content in contents]
    done = await world.services.memory.remember(caller, Remember(memories=drafts))
    return [memory.uid for memory in done.memories]


async def add(world: World, *contents: str, **fields: Any) -> list[str]:
    drafts = [ObservationDraft(content=content, **fields) for content in contents]
    done = await world.services.scratch.service.add(await world.caller(), drafts)
    return [o.uid for o in done]


async def test_a_memory_is_stored_with_its_vector_and_its_terms(world: World) -> None:
    caller = await world.caller()
    world.clock.advance(days=1)
    at = world.clock.now().replace(year=2023, month=5, day=8)
    drafts = [
        MemoryDraft(
            kind=MESSAGE,
            content="The wines arrived",
            speaker="Ann",
            conversation="chat",
            tags=("Red Wine",),
            entities=(EntityName(name="Beaune"),),
            happened_at=at,
        ),
        MemoryDraft(kind=FACT, content="Tea is hot", happened_at=at),
    ]
    await world.services.memory.remember(caller, Remember(memories=drafts))

    assert await embedded(world) == {
        "The wines arrived": ("the wine arriv ann red beaun 8 may 2023", "Ann: The wines arrived", "hash"),
        "Tea is hot": ("tea is hot 8 may 2023", "Tea is hot", "hash"),
    }


async def test_an_observation_is_stored_with_its_vector_and_its_terms(world: World) -> None:
    await add(world, "The wines arrived", tags=("Red",), entities=(EntityName(name="Beaune"),))

    at = world.clock.now()
    date = f"{at.day} {at.strftime('%B').lower()} {at.year}"
    ((terms, passage, encoder),) = (await embedded(world)).values()
    assert (terms.split()[:5], passage, encoder) == (
        ["the", "wine", "arriv", "red", "beaun"],
        "The wines arrived",
        "hash",
    )
    assert terms.split()[-3::2] == date.split()[::2]


async def test_the_newer_of_two_facts_and_what_a_turn_ends_with_are_embedded(world: World) -> None:
    caller = await world.caller()
    (older,) = await remember(world, "Ann lives in Rome")
    draft = MemoryDraft(kind=FACT, content="Ann lives in Oslo")
    await world.services.memory.supersede(caller, Supersede(id=older, memory=draft))
    note = TurnObservation(content="Ann is late")
    said = TurnMemory(kind=MESSAGE, content="I am late", speaker="Ann", conversation="chat")
    command = CommitAtTurnEnd(turn_id="t", observations=(note,), memories=(said,))
    await world.services.turns.commit.commit(caller, command)

    found = {content: has[1:] for content, has in (await embedded(world)).items()}
    assert found == {
        # It keeps its vector; no search reaches it.
        "Ann lives in Rome": ("Ann lives in Rome", "hash"),
        "Ann lives in Oslo": ("Ann lives in Oslo", "hash"),
        "Ann is late": ("Ann is late", "hash"),
        "I am late": ("Ann: I am late", "hash"),
    }


async def test_a_changed_text_gets_a_new_vector_and_other_changes_keep_it(world: World) -> None:
    caller = await world.caller()
    one, two = await add(world, "The cup is empty", "The pot is empty")
    service = world.services.scratch.service
    await service.change(caller, UpdateObservation(id=one, content="The cup is full"))
    await service.change_all(
        caller, UpdateObservations(observations=[ObservationUpdate(id=two, tags=("Tea",))])
    )

    found = await embedded(world)
    assert {content: has[1:] for content, has in found.items()} == {
        "The cup is full": ("The cup is full", "hash"),
        "The pot is empty": ("The pot is empty", "hash"),
    }
    assert found["The cup is full"][0].startswith("the cup is full ")
    assert found["The pot is empty"][0].startswith("the pot is empti tea ")


async def test_a_changed_text_that_cannot_be_encoded_loses_the_old_vector(world: World) -> None:
    (uid,) = await add(world, "The cup is empty")
    failing = served(world, Failing())
    update = UpdateObservation(id=uid, content="The cup is full")
    await failing.services.scratch.service.change(await world.caller(), update)

    assert [has[1:] for has in (await embedded(world)).values()] == [(None, None)]
    assert (await world.counts())["Unembedded"] == 1


async def test_a_failing_encoder_fails_no_write(world: World) -> None:
    failing = served(world, Failing())
    await remember(failing, "Ann drinks tea")
    await add(failing, "The kettle boils")

    assert {content: has[1:] for content, has in (await embedded(world)).items()} == {
        "Ann drinks tea": (None, None),
        "The kettle boils": (None, None),
    }
    assert (await world.counts())["Unembedded"] == 2


async def test_no_write_waits_longer_than_the_deadline(world: World) -> None:
    late = served(world, Waiting(), deadline_ms=0)
    await remember(late, "Ann drinks tea")

    assert (await world.counts())["Unembedded"] == 1


async def test_while_an_encoding_is_late_other_writes_do_not_wait_for_it(world: World) -> None:
    encoder = Waiting()
    late = served(world, encoder, deadline_ms=500)
    await remember(late, "Ann drinks tea")
    await remember(late, "Ann drinks milk")
    assert (encoder.asked, (await world.counts())["Unembedded"]) == (1, 2)

    encoder.go.set()
    await encoder.done.wait()
    await remember(late, "Ann drinks beer")

    assert (encoder.asked, (await world.counts())["Unembedded"]) == (2, 2)
    assert (await embedded(world))["Ann drinks beer"][1:] == ("Ann drinks beer", "hash")


async def test_vectors_of_another_encoder_are_not_stored_among_those_that_searches_use(world: World) -> None:
    await remember(served(world, Other()), "Ann drinks tea")

    assert (await embedded(world))["Ann drinks tea"][1:] == (None, None)
    assert (await world.counts())["Unembedded"] == 1


async def test_a_retried_transaction_has_the_vectors_of_the_first_attempt(world: World) -> None:
    encoder = Failing("never said")
    twice = served(world, encoder)
    await remember(twice, "Ann drinks tea", client_key="tea")
    await remember(twice, "Ann drinks tea", client_key="tea")
    caller = await world.caller()
    command = Remember(memories=[MemoryDraft(kind=FACT, content="Ann drinks milk")], idempotency_key="milk")
    for _ in range(2):
        await twice.services.memory.remember(caller, command)

    assert [has[1:] for has in (await embedded(world)).values()] == [
        ("Ann drinks tea", "hash"),
        ("Ann drinks milk", "hash"),
    ]


async def test_what_many_drafts_repeat_is_not_encoded_again(world: World) -> None:
    encoder = Failing("never said")
    many = served(world, encoder)
    caller = await world.caller()

    async def import_(numbers: range) -> int:
        drafts = [MemoryDraft(kind=FACT, content=f"fact {n}", client_key=f"key {n}") for n in numbers]
        return len((await many.services.memory.remember(caller, Remember(memories=drafts))).created)

    assert await import_(range(9)) == 9
    assert await import_(range(10)) == 1

    assert [len(texts) for texts in encoder.asked] == [9, 1]
    assert "Unembedded" not in await world.counts()


async def test_what_is_forgotten_has_neither_vector_nor_terms(world: World) -> None:
    one, _ = await remember(world, "Ann drinks tea", "Ann drinks milk")
    await remember(served(world, Failing()), "ann drinks TEA")
    await world.services.memory.forget(await world.caller(), Forget(id=one))

    assert {content: has[0] is None for content, has in (await embedded(world)).items()} == {
        "Ann drinks tea": True,
        "Ann drinks milk": False,
        "ann drinks TEA": True,
    }
    assert {content: has[1] for content, has in (await embedded(world)).items()} == {
        "Ann drinks tea": None,
        "Ann drinks milk": "Ann drinks milk",
        "ann drinks TEA": None,
    }
    assert "Unembedded" not in await world.counts()


async def test_what_cannot_be_found_any_more_waits_for_no_vector(world: World) -> None:
    failing = served(world, Failing())
    one, _ = await add(failing, "The kettle boils", "The cup is empty", ttl_minutes=5)
    caller = await world.caller()
    assert (await world.counts())["Unembedded"] == 2
    await world.services.scratch.service.change(caller, ArchiveObservation(id=one))
    assert (await world.counts())["Unembedded"] == 1
    world.clock.advance(minutes=6)
    await world.services.scratch.expiry.sweep(caller, SweepExpired())

    assert "Unembedded" not in await world.counts()


@pytest.mark.parametrize("number", [1, 33])
async def test_what_was_encoded_before_a_failure_is_kept(world: World, number: int) -> None:
    """Texts are encoded in chunks, shorter ones first."""
    failing = served(world, Failing("longest of all"))
    await remember(
        failing, *(f"text {n}" for n in range(10, 10 + number - 1)), "the longest of all the texts"
    )

    counts = await world.counts()
    assert (counts["Fact"], counts["Unembedded"]) == (number, 1)
