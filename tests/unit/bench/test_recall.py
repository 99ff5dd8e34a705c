"""What `bench.recall` measures with: its texts, made vectors, clients, and what a table says."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from bench import measure, prose, recall, report
from bench.disk import Bytes, bytes_in
from bench.operations import Operation, WrongAnswer
from bench.recall_operations import INGEST, OPERATIONS
from bench.statements import Statements
from bench.tenants import memories
from bench.vectors import TOPIC, UNRELATED, Observed, SyntheticVectors
from bench.world import World
from prefrontal.graph.memory.record import MemoryKind


def world() -> World:
    """Return what measuring needs of a data set."""
    return cast("World", SimpleNamespace(statements=Statements(), size=1000, http=None, org_ids=[]))


@pytest.fixture(autouse=True)
def _unit(monkeypatch: pytest.MonkeyPatch) -> None:
    async def unit(_: World) -> float:
        await asyncio.sleep(0)
        return 0.002

    monkeypatch.setattr(measure, "unit", unit)


def test_texts_of_a_seed_are_the_same_and_their_words_are_as_frequent_as_in_english() -> None:
    texts = [prose.text(Random(seed)) for seed in range(300)]
    assert texts == [prose.text(Random(seed)) for seed in range(300)]
    words = Counter(word for text in texts for word in text.rstrip(".").lower().split())
    assert words.most_common(1)[0][0] == "the"
    assert all(10 <= len(text.split()) <= 30 for text in texts)
    # Most of the words stand in one text alone.
    assert sum(count == 1 for count in words.values()) > len(words) / 2


def test_one_entity_is_mentioned_by_half_of_the_memories() -> None:
    drafts = memories(Random(1), 1000, "talk")
    mentioned = Counter(each.entities[0].name for each in drafts)
    assert mentioned.most_common(1)[0][0] == prose.NAMES[0]
    assert 450 < mentioned[prose.NAMES[0]] < 550
    assert len(mentioned) > 100
    assert all(each.entities[0].name in each.content for each in drafts)
    messages = [each for each in drafts if each.kind is MemoryKind.MESSAGE]
    assert 700 < len(messages) < 800
    assert all(each.conversation and each.speaker for each in messages)


def test_made_vectors_of_a_topic_are_nearer_than_others() -> None:
    encoder = SyntheticVectors()
    known = prose.prose()
    one, same = " ".join(known.topics[3][:5]), " ".join(known.topics[3][5:10])
    other = " ".join(known.topics[4][:5])
    a, b, c = (np.array(encoder.vector(text)) for text in (one, same, other))
    assert a @ a == pytest.approx(1.0)
    assert encoder.vector(one) == a.tolist()
    assert a @ b == pytest.approx(UNRELATED + TOPIC, abs=0.05)
    assert a @ c == pytest.approx(UNRELATED, abs=0.05)


async def test_a_question_is_encoded_once() -> None:
    asked: list[list[str]] = []

    class Counting(SyntheticVectors):
        async def questions(self, texts: Any) -> Any:
            asked.append(list(texts))
            return await super().questions(texts)

    encoder = Observed(Counting())
    first = await encoder.questions(["a", "b"])
    assert await encoder.questions(["b", "c", "a"]) == [
        first[1],
        (await encoder.questions(["c"]))[0],
        first[0],
    ]
    assert asked == [["a", "b"], ["c"]]


async def test_several_clients_run_at_once_and_their_result_has_no_aim() -> None:
    running = most = 0

    async def run(_: World, __: Any) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1

    operation = Operation("one", "one thing", run, aim=1.0, rows=10, rows_per_s=1e9)
    alone, _ = await measure.measure(world(), operation, rounds=10, seconds=60)
    assert (alone.clients, alone.n, most, alone.aim) == (1, 10, 1, 1.0)
    together, _ = await measure.measure(world(), operation, rounds=10, seconds=60, clients=8)
    assert (together.clients, together.n, most, together.aim) == (8, 80, 8, None)
    assert together.met
    assert together.rows_per_s == pytest.approx(10 * together.runs_per_s)
    assert together.p50_ms <= together.p95_ms <= together.p99_ms
    # Growth compares results of the same number of clients.
    larger = [
        type(each)(**{**vars_of(each), "size": 2000, "multiple": 3 * each.multiple})
        for each in (alone, together)
    ]
    every = [alone, together, *larger]
    assert [report.growth(each, every) for each in every] == [None, None, 3.0, 3.0]
    cells = report.rows(every, recall.COLUMNS)
    assert [(row[1], row[2]) for row in cells] == [
        ("1,000", "1"),
        ("2,000", "1"),
        ("1,000", "8"),
        ("2,000", "8"),
    ]
    assert all(len(row) == len(recall.COLUMNS) for row in cells)


def vars_of(result: measure.Result) -> dict[str, Any]:
    return {name: value for name, value in result.as_json().items() if name != "met"}


async def test_a_wrong_answer_of_one_client_ends_the_measurement() -> None:
    left = 0

    async def run(_: World, __: Any) -> None:
        nonlocal left
        try:
            await asyncio.sleep(0)
            raise WrongAnswer("wrong")
        finally:
            left += 1

    with pytest.raises(WrongAnswer):
        await measure.measure(world(), Operation("one", "one", run), rounds=10, seconds=60, clients=4)
    assert left == 4


def test_the_bytes_of_a_memory_are_those_above_an_empty_database(tmp_path: Path) -> None:
    (tmp_path / "schema" / "index").mkdir(parents=True)
    (tmp_path / "store").write_bytes(b"x" * 100)
    (tmp_path / "schema" / "index" / "a").write_bytes(b"x" * 30)
    assert bytes_in(tmp_path) == Bytes(100, 30)
    more = recall.More(None, empty=Bytes(1000, 100), disk={10: Bytes(21_000, 10_100)})
    assert more.disk_rows() == [("10", "2,000", "1,000", "3,000")]


def test_contexts_keep_the_promises_that_are_times() -> None:
    covering = {each.name: each.covers for each in (*OPERATIONS, *INGEST) if each.covers}
    assert covering == {"preview": ("CTX-23", "CTX-28"), "assemble": ("CTX-23", "CTX-28")}
