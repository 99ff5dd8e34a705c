"""A whole organisation as a file: exported, and imported as the same graph."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from neo4j import AsyncDriver

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.errors import Conflict, Duplicate, InvalidInput, NotFound, PrefrontalError
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.storage.schema import migrate
from prefrontal.graph.transfer import export as exporting
from prefrontal.graph.transfer import importing, store
from prefrontal.graph.transfer.importing import OrganisationImport
from prefrontal.graph.transfer.json_lines import line_of
from prefrontal.graph.transfer.record import ImportResult
from tests.contract.test_written_graph import (
    begin_other_vectors,
    first_slot,  # noqa: F401 - a fixture
    write_one_of_everything,
)
from tests.support.database import embedded
from tests.support.world import World, forget

NIGHTLY = pytest.mark.nightly("an interrupted import goes on, and a file is written, with each change")

# The order of a set of labels or of properties means nothing; all else is compared as the database tells it.
WHOLE = """CYPHER 25 MATCH (n) WHERE n.org_id = $org
RETURN n.uid AS uid, COLLECT { UNWIND labels(n) AS label RETURN label ORDER BY label } AS labels,
  COLLECT {
    UNWIND keys(n) AS key RETURN [key, toStringOrNull(n[key]), valueType(n[key])] ORDER BY key
  } AS properties,
  COLLECT { MATCH (n)-[r]->(m) RETURN [type(r), m.uid, COLLECT {
    UNWIND keys(r) AS key RETURN [key, toStringOrNull(r[key]), valueType(r[key])] ORDER BY key
  }] } AS links"""
ARRAYS = """CYPHER 25 MATCH (n) WHERE n.org_id = $org
RETURN n.uid AS uid, [key IN keys(n) WHERE valueType(n[key]) STARTS WITH 'LIST' | [key, n[key]]] AS lists"""


async def dump(driver: AsyncDriver, org_id: str) -> Counter[str]:
    """Everything of an organisation, as texts that can be compared."""
    found: Counter[str] = Counter()
    for query in (WHOLE, ARRAYS):
        rows, _, _ = await driver.execute_query(query, org=org_id)
        for row in rows:
            value = row.data()
            for name in ("links", "lists"):
                value[name] = sorted(map(repr, value.get(name, [])))
            # The driver writes a time that it has read with the name of its zone: it is the same time.
            found[repr(value).replace("Z[UTC]", "Z")] += 1
    return found


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


async def export(world: World, path: Path) -> None:
    await world.services.transfer.export.write(world.org_id, world.org, path)


async def everything_exported(world: World, path: Path) -> Counter[str]:
    """Write one of everything, and export it; return the graph."""
    await begin_other_vectors(world)
    await write_one_of_everything(world)
    await export(world, path)
    return await dump(world.services.database.driver, world.org_id)


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.usefixtures("first_slot")
async def test_the_same_graph_comes_back_beside_others(world: World, tmp_path: Path) -> None:
    driver, first, second = (
        world.services.database.driver,
        tmp_path / "first.jsonl",
        tmp_path / "second.jsonl",
    )
    before = await everything_exported(world, first)
    await export(world, second)
    assert first.read_bytes() == second.read_bytes()
    assert not (tmp_path / "first.jsonl.part").exists()

    await forget(driver, world.org)
    assert await dump(driver, world.org_id) == Counter()
    done = await world.services.transfer.importing.read(first)
    assert await dump(driver, world.org_id) == before
    await export(world, second)
    assert first.read_bytes() == second.read_bytes()
    ending = lines(first)[-1]["end"]
    assert (done.nodes, done.relationships) == (ending["nodes"], ending["relationships"])
    assert done.nodes == sum(before.values()) // 2
    assert not await world.rows("MATCH (n:Importing) RETURN n.uid AS uid")


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.nightly("beside other organisations, above")
@pytest.mark.usefixtures("first_slot")
async def test_the_same_graph_comes_back_in_an_empty_database(
    world: World, settings: Settings, tmp_path: Path
) -> None:
    first = tmp_path / "first.jsonl"
    before = await everything_exported(world, first)
    with embedded(settings) as empty:
        async with connect(settings, empty.bolt_uri, empty.user, empty.password) as other:
            services = build_services(settings, other, clock=world.clock)
            await migrate(services.database, services.migrations, services.clock)
            # A database whose process has an encoder has its slots; here it has those of the other database.
            await other.execute_query(
                "CYPHER 25 MATCH (s:Embedding {name: 'memory'}) REMOVE s.a, s.b, s.after"
            )
            await services.transfer.importing.read(first)
            assert await dump(other, world.org_id) == before
            third = tmp_path / "third.jsonl"
            await services.transfer.export.write(world.org_id, world.org, third)
            assert third.read_bytes() == first.read_bytes()
            # What came is used as if it had been made there.
            caller = await services.access.caller(world.principal())
            goal = await services.goals.service.create(caller, CreateGoal(title="there too"))
            assert goal.title == "there too"


async def some(world: World, number: int = 30) -> None:
    """Goals of an agent: each with its version, its event and its trace."""
    caller = await world.caller()
    for each in range(number):
        await world.services.goals.service.create(caller, CreateGoal(title=f"goal {each}"))


def altered(path: Path, content: bytes) -> Path:
    other = path.with_name("altered.jsonl")
    other.write_bytes(content)
    return other


async def refused(world: World, path: Path) -> PrefrontalError:
    """The error of an import that must write nothing."""
    count = "MATCH (n) WHERE n.org_id = $org RETURN count(*) AS number"
    before = await world.rows(count)
    with pytest.raises(PrefrontalError) as error:
        await world.services.transfer.importing.read(path)
    assert await world.rows(count) == before
    return error.value


async def test_a_file_that_is_not_whole_or_was_altered_is_refused_before_anything_is_written(
    world: World, tmp_path: Path
) -> None:
    await some(world, 3)
    path = tmp_path / "whole.jsonl"
    await export(world, path)
    whole = path.read_bytes()
    parts = whole.splitlines(keepends=True)
    await forget(world.services.database.driver, world.org)
    for content, said in (
        (b"", "the file is empty"),
        (b"# Notes\n", "line 1 is incomplete or altered"),
        (b'{"format": "other"}\n', "this is not an exported organisation"),
        (whole.replace(b'"version":2}', b'"version":3}', 1), "version 3 of the format"),
        (former(whole, 44), "schema 0044 from before the baseline: import it into a database of its own"),
        # A number that the baseline's schema has in a file of today has another meaning in one of then.
        (former(whole, 1), "schema 0001 from before the baseline"),
        (whole[:-1], "is incomplete or altered"),
        (whole[: len(whole) // 2], "is incomplete or altered"),
        (b"".join(parts[:-1]), "without its end"),
        (b"".join(parts[:3] + parts[4:]), "do not have the checksum"),
        (whole.replace(b"goal 1", b"goal 7"), "do not have the checksum"),
        (whole + parts[1], "follows the end"),
        (whole.replace(world.org_id.encode(), b"org_0", 1), "a node of another organisation"),
    ):
        error = await refused(world, altered(path, content))
        assert isinstance(error, InvalidInput)
        assert said in error.message, error.message
    await world.services.transfer.importing.read(path)


def former(whole: bytes, number: int) -> bytes:
    """A file as it was made with a schema from before the baseline."""
    header, *rest = whole.splitlines(keepends=True)
    said = json.loads(header) | {"version": 1, "schema_number": number}
    end = json.loads(rest.pop())
    body = b"".join([line_of(said), *rest])
    end["end"]["sha256"] = hashlib.sha256(body).hexdigest()
    return body + line_of(end)


async def test_a_file_of_the_last_schema_from_before_the_baseline_is_one_of_the_baseline(
    world: World, tmp_path: Path
) -> None:
    await some(world, 2)
    path = tmp_path / "whole.jsonl"
    await export(world, path)
    driver = world.services.database.driver
    before = await dump(driver, world.org_id)
    await forget(driver, world.org)

    await world.services.transfer.importing.read(altered(path, former(path.read_bytes(), 45)))

    assert await dump(driver, world.org_id) == before


async def test_an_organisation_that_is_there_is_not_added_to(world: World, tmp_path: Path) -> None:
    await some(world, 1)
    path = tmp_path / "whole.jsonl"
    await export(world, path)
    assert "this organisation already" in (await refused(world, path)).message
    driver = world.services.database.driver
    await forget(driver, world.org)
    await world.services.access.create_organisation(world.org)
    error = await refused(world, path)
    assert isinstance(error, Duplicate)
    assert f"another organisation with the key '{world.org}'" in error.message


async def test_another_schema_is_told(world: World, tmp_path: Path) -> None:
    path = tmp_path / "whole.jsonl"
    await export(world, path)
    await forget(world.services.database.driver, world.org)
    newer = OrganisationImport(
        world.services.database, len(world.services.migrations) + 1, world.services.scopes
    )
    with pytest.raises(InvalidInput, match="upgrade the older of the two"):
        await newer.read(path)


@NIGHTLY
@pytest.mark.alone
@pytest.mark.usefixtures("first_slot")
async def test_vectors_of_an_encoder_that_the_database_does_not_have_are_made_again(
    world: World, tmp_path: Path
) -> None:
    await begin_other_vectors(world)
    path = tmp_path / "whole.jsonl"
    await export(world, path)
    driver = world.services.database.driver
    await forget(driver, world.org)
    (slots,) = await world.rows("MATCH (s:Embedding) RETURN s.serving AS serving, s.a AS a, s.b AS b")
    await world.rows("MATCH (s:Embedding) SET s.a = 'newer', s.b = null, s.serving = 'a'")
    await world.services.transfer.importing.read(path)
    facts = await world.rows(
        "MATCH (f:Fact {org_id: $org}) "
        "RETURN f:Unembedded AS lacks, f.embedding_a IS NULL AND f.embedding_b IS NULL AS none"
    )
    assert facts == [{"lacks": True, "none": True}]
    await world.rows(
        "MATCH (s:Embedding) SET s.serving = $slots.serving, s.a = $slots.a, s.b = $slots.b", slots=slots
    )


class Stopped(BaseException):
    """The end of the process, as an interrupt from the keyboard is."""


def stop_at(place: int):
    """A progress that ends the process, as it were, when it is told of a line."""

    def progress(done: int, _total: int, detail: str) -> None:
        if detail not in {"checking", "comparing"} and done >= place:
            raise Stopped

    return progress


async def test_an_interrupted_import_goes_on_and_shows_nothing_until_its_end(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "_BATCH", 7)
    await some(world)
    path = tmp_path / "whole.jsonl"
    await export(world, path)
    driver = world.services.database.driver
    before = await dump(driver, world.org_id)
    await forget(driver, world.org)
    number = len(lines(path)) - 1
    reads = world.services.transfer.importing.read
    for place in (1, number // 2, number + 1, number + number // 2, 2 * number + 7, 3 * number - 8):
        with pytest.raises(Stopped):
            await reads(path, stop_at(place))
        assert not await world.rows("MATCH (o:Organisation {uid: $org}) RETURN o.uid AS uid")
        if place <= 2 * number:
            assert (await world.counts()).keys() <= {"Importing", "Space"}
    other = altered(path, path.read_bytes())
    done = await reads(other)
    assert done.resumed
    assert await dump(driver, world.org_id) == before


@NIGHTLY
async def test_another_file_of_the_same_organisation_waits_for_the_end_of_the_first(
    world: World, tmp_path: Path
) -> None:
    await some(world, 2)
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    await export(world, first)
    await some(world, 1)
    await export(world, second)
    await forget(world.services.database.driver, world.org)
    with pytest.raises(Stopped):
        await world.services.transfer.importing.read(first, stop_at(1))
    with pytest.raises(Conflict, match="another file of this organisation was interrupted"):
        await world.services.transfer.importing.read(second)
    await world.services.transfer.importing.read(first)


async def test_two_processes_that_import_a_file_bring_it_once(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "_BATCH", 7)
    await some(world)
    path = tmp_path / "whole.jsonl"
    await export(world, path)
    driver = world.services.database.driver
    before = await dump(driver, world.org_id)
    await forget(driver, world.org)
    read = world.services.transfer.importing.read
    done = await asyncio.gather(read(path), read(path), return_exceptions=True)
    assert {type(each) for each in done} <= {ImportResult, Conflict, Duplicate}
    if not any(isinstance(each, ImportResult) for each in done):
        await read(path)
    assert await dump(driver, world.org_id) == before


@NIGHTLY
async def test_an_interrupted_export_goes_on(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "_STEP", 10)
    await some(world)
    whole, path = tmp_path / "whole.jsonl", tmp_path / "again.jsonl"
    await export(world, whole)
    write = world.services.transfer.export.write
    with pytest.raises(Stopped):
        await write(world.org_id, world.org, path, stop_at(40))
    part = tmp_path / "again.jsonl.part"
    assert len(part.read_bytes()) > 1000
    assert not path.exists()
    # A process that is killed leaves half a line.
    part.write_bytes(part.read_bytes()[:-5])
    done = await write(world.org_id, world.org, path)
    assert done.resumed
    assert path.read_bytes() == whole.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.nightly("the same graph comes back from a file with each change")
async def test_an_export_has_one_state_although_others_write(world: World, tmp_path: Path) -> None:
    await some(world, 5)
    caller, create = await world.caller(), world.services.goals.service.create
    path = tmp_path / "whole.jsonl"
    reads = store.nodes
    times: list[int] = []

    async def meanwhile(tx, org_id, after):
        """The rows of a reading, with a change of another client at its end, as often as wanted."""
        async for row in reads(tx, org_id, after):
            yield row
        times.append(1)
        if len(times) <= most:
            await create(caller, CreateGoal(title=f"meanwhile {len(times)}"))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "nodes", meanwhile)
        most = 1
        await export(world, path)
        assert len(times) == 3
        first = path.read_bytes()
        most = 10_000
        with pytest.raises(Conflict, match="changed during each of 5 readings"):
            await export(world, tmp_path / "never.jsonl")
    assert b"meanwhile 1" in first
    assert not (tmp_path / "never.jsonl").exists()


async def test_a_file_that_cannot_be_written_is_told_as_such(world: World, tmp_path: Path) -> None:
    path = tmp_path / "whole.jsonl"
    (tmp_path / "whole.jsonl.part").mkdir()
    with pytest.raises(InvalidInput, match=r"whole\.jsonl\.part: Is a directory"):
        await export(world, path)
    (tmp_path / "whole.jsonl.part").rmdir()
    await export(world, path)
    assert lines(path)[-1]["end"]["labels"]["Organisation"] == 1


async def test_one_that_is_not_there_is_told(world: World, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        await world.services.transfer.export.write("org_none", "none", tmp_path / "none.jsonl")
    with pytest.raises(InvalidInput, match="No such file or directory"):
        await export(world, tmp_path / "missing" / "whole.jsonl")


async def test_nothing_of_another_organisation_is_in_the_file(world: World, tmp_path: Path) -> None:
    await some(world, 2)
    path = tmp_path / "whole.jsonl"
    await export(world, path)
    other = await world.services.access.create_organisation(f"{world.org}-other")
    again = tmp_path / "again.jsonl"
    await export(world, again)
    assert again.read_bytes() == path.read_bytes()
    assert other.encode() not in path.read_bytes()
