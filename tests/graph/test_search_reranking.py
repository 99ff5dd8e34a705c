"""Searches whose best notes are read again: what answers comes first, and what does not is left out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from structlog.testing import capture_logs

from prefrontal.graph.caller import Caller
from prefrontal.graph.config.tables import RerankerTable
from prefrontal.graph.downloads.artifacts import Progress
from prefrontal.graph.embedding.embeddings import Embeddings
from prefrontal.graph.search.record import SearchFilter, SearchKind, SearchResult
from prefrontal.graph.search.service import SearchService
from prefrontal.graph.text.encoder import Encoder, HashEncoder
from tests.graph.test_search import MESSAGE, Silent, remember
from tests.support.world import World

ANY = SearchFilter(min_relevance=0.0)
QUESTION = "Where is the cellar key?"
NOTES = ("The cellar key is brass", "The cellar key hangs behind the door", "The cellar is cold")


class Reader:
    """Says that what has some words answers, and that nothing else does; it keeps what it has read."""

    name = "reader"

    def __init__(self, *words: str) -> None:
        self.words = words
        self.read: list[str] = []
        self.loads = 0

    async def load(self, progress: Progress | None = None) -> None:  # noqa: ARG002 - a protocol
        self.loads += 1

    async def logits(self, question: str, texts: Sequence[str]) -> list[float]:  # noqa: ARG002 - a protocol
        self.read += texts
        return [6.0 if any(word in text for word in self.words) else -6.0 for text in texts]

    async def changes(self, newer: str, older: Sequence[str]) -> list[float]:
        return await self.logits(newer, older)


class Failing(Reader):
    async def logits(self, question: str, texts: Sequence[str]) -> list[float]:
        raise RuntimeError(f"{question} {texts}")


class Stuck(Reader):
    async def logits(self, question: str, texts: Sequence[str]) -> list[float]:
        await asyncio.sleep(60)
        raise AssertionError(f"{question} {texts}")


def searching(
    world: World,
    reader: Reader | None,
    *,
    best: int = 5,
    encoder: Encoder | None = None,
    changes: float | None = None,
) -> SearchService:
    """Return a search of the world that reads the best notes again."""
    services = world.services
    table = services.catalog.search
    by = RerankerTable(best=best, weight=1.0, most=6.0, changes=changes)
    known = table.encoder("hash").model_copy(update={"reranker": by})
    changed = table.model_copy(
        update={
            "encoders": {**table.encoders, "hash": known},
            "bounds": table.bounds.model_copy(update={"deadline_ms": 200}),
        }
    )
    catalog = services.catalog.model_copy(update={"search": changed})
    vectors = Embeddings(encoder or HashEncoder(), 1.0)
    return SearchService(services.database, world.clock, catalog, vectors, reader)


async def found(
    search: SearchService, caller: Caller, wanted: SearchFilter | None = None
) -> list[SearchResult]:
    return list((await search.search(caller, QUESTION, wanted)).items)


async def test_what_answers_comes_first_and_what_does_not_is_left_out(world: World) -> None:
    caller = await world.caller()
    await remember(world, caller, *NOTES)
    before = await found(searching(world, None), caller)
    after = await found(searching(world, Reader("behind")), caller)

    assert before[0].content == NOTES[0]
    assert [each.content for each in after] == [NOTES[1]]
    assert (before[0].parts.answer, after[0].parts.answer) == (None, 6.0)


async def test_a_question_that_no_note_answers_finds_nothing(world: World) -> None:
    caller = await world.caller()
    await remember(world, caller, *NOTES)
    search = searching(world, Reader())

    assert await found(search, caller) == []
    # However far they are, they are there, each with what the reader takes away.
    assert [each.parts.answer for each in await found(search, caller, ANY)] == [-6.0] * 3


async def test_only_the_best_notes_are_read_and_no_messages(world: World) -> None:
    caller = await world.caller()
    await remember(world, caller, *NOTES)
    await remember(world, caller, "The cellar key is where?", kind=MESSAGE, speaker="Ann")
    reader = Reader("brass", "cold")
    answers = {
        each.content: each.parts.answer for each in await found(searching(world, reader, best=2), caller, ANY)
    }

    assert sorted(reader.read) == sorted(NOTES[:2])
    assert answers == {NOTES[0]: 6.0, NOTES[1]: -6.0, NOTES[2]: None, "The cellar key is where?": None}
    reader.read.clear()
    await found(searching(world, reader, best=0), caller)
    await found(searching(world, reader), caller, SearchFilter(kinds=(SearchKind.MESSAGE,)))
    assert reader.read == []


async def test_it_reads_only_what_the_caller_may_read(world: World) -> None:
    caller, other = await world.caller(), await world.caller("other")
    await remember(world, other, *NOTES)
    reader = Reader("cellar")

    assert await found(searching(world, reader), caller, ANY) == []
    assert reader.read == []


@pytest.mark.parametrize(
    ("reader", "event"),
    [(Failing(), "embedding_failed"), (Stuck(), "encoding_late")],
    ids=["failing", "late"],
)
async def test_without_the_reader_the_ranking_stays(world: World, reader: Reader, event: str) -> None:
    caller = await world.caller()
    await remember(world, caller, *NOTES)
    with capture_logs() as logs:
        page = await searching(world, reader).search(caller, QUESTION)

    assert list(page.items) == await found(searching(world, None), caller)
    assert page.partial is False
    (said,) = (log for log in logs if log["log_level"] == "warning")
    assert (said["event"], said["encoder"]) == (event, "reader")
    assert QUESTION not in str(said)


async def test_nothing_is_read_again_where_words_alone_were_compared(world: World) -> None:
    caller = await world.caller()
    await remember(world, caller, *NOTES)
    reader = Reader("behind")
    page = await searching(world, reader, encoder=Silent()).search(caller, QUESTION)

    assert (page.partial, reader.read, {each.parts.answer for each in page.items}) == (True, [], {None})


@pytest.mark.parametrize(("best", "loads"), [(2, 1), (0, 0)])
async def test_a_reader_that_reads_nothing_is_not_loaded(world: World, best: int, loads: int) -> None:
    reader = Reader()
    await searching(world, reader, best=best).prepare()

    assert reader.loads == loads


@pytest.mark.parametrize(("best", "said"), [(2, ["reranker_missing"]), (0, [])])
async def test_a_missing_reader_is_told(world: World, best: int, said: list[str]) -> None:
    with capture_logs() as logs:
        await searching(world, None, best=best).prepare()

    assert [log["event"] for log in logs if log["log_level"] == "warning"] == said


async def test_pages_follow_each_other(world: World) -> None:
    caller = await world.caller()
    await remember(world, caller, *NOTES, "The cellar key has a red string")
    search = searching(world, Reader("behind", "string"))
    whole = [each.uid for each in await found(search, caller, ANY)]
    first = await search.search(caller, QUESTION, ANY, first=3)
    second = await search.search(caller, QUESTION, ANY, first=3, after=first.cursors[-1])

    assert [each.uid for page in (first, second) for each in page.items] == whole
    assert (len(first.items), first.has_next, second.has_next) == (3, True, False)
