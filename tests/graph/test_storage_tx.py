"""Units of work on the real server: the contract of query files, and how errors arrive."""

from __future__ import annotations

from pathlib import Path

import pytest
from neo4j import AsyncSession
from neo4j.exceptions import ClientError, ConstraintError, TransientError

from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.errors import Duplicate, QueryFileError, TimedOut, Unavailable
from prefrontal.graph.storage import unit_of_work
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.storage.queries import parse_query
from prefrontal.graph.storage.unit_of_work import Database
from tests.support.world import World

TEXTS = {
    "probe/nothing": ("read", "none", "UNWIND [] AS x RETURN x"),
    "probe/no_row": ("read", "one", "UNWIND [] AS x RETURN x"),
    "probe/two_rows": ("read", "one", "UNWIND [1, 2] AS x RETURN x"),
    "probe/two_optional": ("read", "optional", "UNWIND [1, 2] AS x RETURN x"),
    "probe/unwanted": ("read", "none", "RETURN 1 AS x"),
    "probe/many": ("read", "many", "UNWIND [1, 2] AS x RETURN x"),
    "probe/values": (
        "read",
        "one",
        "RETURN datetime('2026-01-02T03:04:05.678901Z') AS at, [date('2026-01-02'), duration('P1D')] AS more",
    ),
    "probe/endless": ("read", "one", "UNWIND range(1, 2000000000) AS x RETURN count(x) AS x"),
    "probe/counting": ("read", "one", "UNWIND range(1, $most) AS x RETURN count(x) AS x"),
    "probe/write": ("write", "none", "CREATE (:Probe {org_id: $org_id})"),
    "probe/twice": ("write", "none", "CREATE (:Tag {key: 'red', scope_id: $org_id, org_id: $org_id})"),
    "probe/numbered": ("write", "none", "CREATE (:Version {of_uid: $org_id, number: 1, org_id: $org_id})"),
}


def probes(world: World) -> Database:
    def query(name: str):
        mode, returns, body = TEXTS[name]
        scope = "organisation" if "$org_id" in body else "system - a test's own"
        header = f"// Probe.\n// mode: {mode}, returns: {returns}, scope: {scope}\n"
        return parse_query(name, header + body, Path(name))

    database = world.services.database
    return Database(
        database.driver,
        {name: query(name) for name in TEXTS},
        database="neo4j",
        timeout_s=30,
        observers=[world.statements],
    )


@pytest.mark.parametrize(
    ("name", "method", "complaint"),
    [
        ("probe/no_row", "one", "probe/no_row declares one row and returned 0"),
        ("probe/two_rows", "one", "probe/two_rows declares one row and returned 2"),
        ("probe/two_optional", "optional", "probe/two_optional declares at most one row and returned 2"),
        ("probe/unwanted", "execute", "probe/unwanted declares no rows and returned 1"),
    ],
)
async def test_another_number_of_rows_than_declared_is_a_defect(
    world: World, name: str, method: str, complaint: str
) -> None:
    with pytest.raises(QueryFileError, match=complaint):
        await probes(world).read(lambda tx: getattr(tx, method)(name))


async def test_rows_arrive_as_plain_python(world: World) -> None:
    database = probes(world)

    values = await database.read(lambda tx: tx.one("probe/values"))

    assert values["at"].isoformat() == "2026-01-02T03:04:05.678901+00:00"
    assert type(values["at"]).__module__ == "datetime"
    assert values["more"][0].isoformat() == "2026-01-02"
    assert values["more"][1] == "P1D"
    assert await database.read(lambda tx: tx.many("probe/many")) == [{"x": 1}, {"x": 2}]
    assert await database.read(lambda tx: tx.execute("probe/nothing")) is None


@pytest.mark.parametrize("params", [{}, {"org_id": "x", "more": 1}, {"orgid": "x"}])
async def test_other_parameters_than_declared_never_reach_the_server(world: World, params: dict) -> None:
    with pytest.raises(QueryFileError, match="probe/write takes"):
        await probes(world).write(lambda tx: tx.execute("probe/write", **params))

    assert world.statements.names == []


async def test_a_read_cannot_write(world: World) -> None:
    with pytest.raises(ClientError) as caught:
        await probes(world).read(lambda tx: tx.execute("probe/write", org_id=world.org_id))

    assert caught.value.code == "Neo.ClientError.Statement.AccessMode"
    assert "Probe" not in await world.counts()


async def test_a_failure_anywhere_undoes_everything(world: World) -> None:
    async def work(tx) -> None:
        await tx.execute("probe/write", org_id=world.org_id)
        raise LookupError("a defect")

    with pytest.raises(LookupError):
        await probes(world).write(work)

    assert "Probe" not in await world.counts()


async def test_what_is_there_already_is_a_duplicate_and_undoes_everything(world: World) -> None:
    async def work(tx) -> None:
        await tx.execute("probe/write", org_id=world.org_id)
        await tx.execute("probe/twice", org_id=world.org_id)

    await probes(world).write(lambda tx: tx.execute("probe/twice", org_id=world.org_id))
    with pytest.raises(Duplicate) as caught:
        await probes(world).write(work)

    assert caught.value.__cause__.code == "Neo.ClientError.Schema.ConstraintValidationFailed"
    counts = await world.counts()
    assert counts["Tag"] == 1
    assert "Probe" not in counts


async def test_what_no_client_has_chosen_is_no_duplicate(world: World) -> None:
    async def work(tx) -> None:
        await tx.execute("probe/numbered", org_id=world.org_id)

    await probes(world).write(work)
    with pytest.raises(ConstraintError):
        await probes(world).write(work)
    assert (await world.counts())["Version"] == 1


async def test_a_passed_deadline_is_a_timeout(world: World) -> None:
    with pytest.raises(TimedOut) as caught:
        await probes(world).read(lambda tx: tx.one("probe/endless"), timeout_s=0.2)

    assert caught.value.code == "timeout"


async def test_every_statement_is_observed_with_its_name(world: World) -> None:
    await probes(world).read(lambda tx: tx.many("probe/many"))
    with pytest.raises(TimedOut):
        await probes(world).read(lambda tx: tx.one("probe/endless"), timeout_s=0.2)

    assert world.statements.names[0] == "probe/many"
    assert set(world.statements.names[1:]) == {"probe/endless"}


async def test_a_wrong_password_says_which_variables_to_look_at(world: World, neo4j: Endpoint) -> None:
    assert neo4j.password is not None
    async with connect(world.services.settings, neo4j.uri, neo4j.user, neo4j.password + "x") as driver:
        database = Database(driver, probes(world).queries, database="neo4j", timeout_s=5)

        with pytest.raises(Unavailable, match="check NEO4J_USER and NEO4J_PASSWORD"):
            await database.read(lambda tx: tx.many("probe/many"))


async def test_what_depends_on_an_empty_list_is_not_sent(world: World) -> None:
    body = "RETURN 1\n// only if $others\n  + size($others)\n// end only\nAS x"
    header = "// Probe.\n// mode: read, returns: one, scope: system - a test's own\n"
    probing = probes(world)
    probing.queries = {"probe/sum": parse_query("probe/sum", header + body, Path("probe/sum"))}

    # Null has no size: the text that does not ask for it is the one that runs.
    found = [
        (await probing.read(lambda tx, others=others: tx.one("probe/sum", others=others)))["x"]
        for others in (["a", "b"], [], None)
    ]

    assert found == [3, 1, 1]


@pytest.mark.parametrize(("undone", "attempts"), [(0, 1), (3, 4), (9, 4)])
async def test_a_statement_by_itself_is_run_again_when_the_server_undid_it(
    world: World, monkeypatch: pytest.MonkeyPatch, undone: int, attempts: int
) -> None:
    run, calls = AsyncSession.run, []

    async def deadlocked(session: AsyncSession, text: str) -> object:
        calls.append(text)
        if len(calls) <= undone:
            raise TransientError("deadlock")
        return await run(session, text)

    monkeypatch.setattr(AsyncSession, "run", deadlocked)
    monkeypatch.setattr(unit_of_work, "_AGAIN_S", (0.0, 0.0, 0.0))
    database = world.services.database
    if undone < attempts:
        assert await database.implicit("RETURN 1 AS one") == [{"one": 1}]
    else:
        with pytest.raises(Unavailable):
            await database.implicit("RETURN 1 AS one")
    assert calls == ["RETURN 1 AS one"] * attempts
