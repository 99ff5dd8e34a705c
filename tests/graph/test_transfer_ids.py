"""An imported organisation names nothing but what its file has, and one that is refused leaves nothing."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from prefrontal.graph.context.record import AssembleContext
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.errors import Conflict, Duplicate, InvalidInput, PrefrontalError, Unavailable
from prefrontal.graph.ids import Kind, kind_of, new_id
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.storage.schema_of_nodes import declared_schema, node_classes
from prefrontal.graph.transfer import importing, references, store
from prefrontal.graph.transfer.json_lines import Tally, ending_line
from tests.contract.test_written_graph import (
    embed_plans,
    first_slot,  # noqa: F401 - a fixture
    gone_afterwards,  # noqa: F401 - a fixture
    read_and_refuse_events,
    relate,
    summarise,
    take_a_name_again,
    write_one_of_everything,
)
from tests.graph.test_transfer import dump
from tests.support.thinned import first_by_day
from tests.support.world import World, forget

pytestmark = pytest.mark.alone

ALTERED = pytest.mark.nightly("every name of a space in a file is altered with each change")
REFUSED_LATER = pytest.mark.nightly(
    "what is refused before anything is written, and what fails, are tried with each change"
)
NIGHTLY = pytest.mark.nightly("an import that fails leaves nothing, above")

JSON = "json"
"""The step of a path into the JSON of a text."""
Path_ = tuple[str | int, ...]
Line = dict[str, Any]

# What clients write: whatever it looks like, nothing is found by it as if it were an id.
TEXTS = {"client_key", "key"}
CLIENTS = {"metadata"}


def lines_of(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def written(path: Path, lines: list[Line]) -> Path:
    """A file of these lines, with a true checksum at its end."""
    tally, found = Tally(), []
    for number, value in enumerate(lines):
        line = json.dumps(value).encode() + b"\n"
        if "end" in value:
            line = ending_line(tally.ending)
        elif number == 0:
            tally.header(line)
        elif "node" in value:
            tally.node(line, value["labels"])
        else:
            tally.link(line, value["type"])
        found.append(line)
    path.write_bytes(b"".join(found))
    return path


def strings(value: Any, path: Path_ = ()) -> Iterator[tuple[Path_, str]]:
    """Every text in a value, however deep, with the path to it."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from strings(each, (*path, key))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from strings(each, (*path, number))
    elif isinstance(value, str):
        yield path, value
        with suppress(ValueError):
            yield from strings(json.loads(value), (*path, JSON)) if value[:1] in ("{", "[") else ()


def replaced(value: Any, path: Path_, new: Any) -> Any:
    """A copy of a value with something else at the end of a path."""
    if not path:
        return new
    step, rest = path[0], path[1:]
    if step == JSON and isinstance(value, str):
        return json.dumps(replaced(json.loads(value), rest, new))
    copy = value.copy()
    copy[step] = replaced(value[step], rest, new)
    return copy


async def everything(world: World) -> dict[str, int]:
    """How much the whole database has."""
    (row,) = await world.rows(
        "CALL () { MATCH (n) RETURN count(n) AS nodes } "
        "CALL () { MATCH ()-[r]->() RETURN count(r) AS links } "
        "CALL () { MATCH (n:Importing) RETURN count(n) AS importing } RETURN nodes, links, importing"
    )
    return row


async def refused(world: World, path: Path) -> PrefrontalError:
    """The error of an import that leaves the database as it was."""
    before = await everything(world)
    with pytest.raises(PrefrontalError) as error:
        await world.services.transfer.importing.read(path)
    assert await everything(world) == before
    assert before["importing"] == 0
    return error.value


async def another(world: World) -> dict[Kind, str]:
    """Another organisation of the database, with an id of each kind."""
    key = f"{world.org}-other"
    org = await world.services.access.create_organisation(key)
    await world.rows(
        "UNWIND $nodes AS node CREATE (n:$(node.label)) "
        "SET n.uid = node.uid, n.org_id = $other, n.scope_id = $other, n.key = node.uid, n.name = 'other'",
        other=org,
        nodes=[
            {
                "label": "".join(word.capitalize() for word in kind.name.split("_")),
                "uid": new_id(kind, world.clock.now()),
            }
            for kind in Kind
            if kind is not Kind.ORGANISATION
        ],
    )
    rows = await world.rows("MATCH (n {org_id: $other}) RETURN n.uid AS uid", other=org)
    found = {kind: row["uid"] for row in rows if (kind := kind_of(row["uid"])) is not None}
    assert found.keys() == set(Kind)
    return found


def places(lines: list[Line]) -> dict[str, tuple[int, Path_, str]]:
    """One place for each name under which a line has an id: the line, the path in it, and the id.

    `node.` and `link.` come before the name of the property, and keys of JSON behind it.
    """
    found: dict[str, tuple[int, Path_, str]] = {}
    for number, value in enumerate(lines[1:-1], 1):
        for path, text in strings(value):
            steps = [step for step in path if isinstance(step, str) and step not in ("properties", JSON)]
            if kind_of(text) is None or path == ("node",) or TEXTS & {steps[-1]} or CLIENTS & {*steps}:
                continue
            kind = "node" if "node" in value else "link"
            found.setdefault(".".join([kind, *steps]), (number, path, text))
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("first_slot", "gone_afterwards")
async def test_each_id_that_is_not_of_the_file_is_refused_before_anything_is_written(
    world: World, tmp_path: Path, *, nightly: bool
) -> None:
    await write_one_of_everything(world)
    await relate(world)
    await embed_plans(world)
    await summarise(world)
    await world.services.jobs.run_once(world.services.jobs.named["link_included"])
    relay = world.services.outbox.relay
    await world.services.database.write(lambda tx: relay.stamp_in(tx, world.clock.now(), 1000))
    await read_and_refuse_events(world)
    bot = await world.caller(person="ann", device="phone")
    again = AssembleContext(prompt="tea?", budget=1000, turn_id="turn-2", session_id="goes on")
    await world.services.context.assemble(bot, again)
    await take_a_name_again(world)
    path = tmp_path / "whole.jsonl"
    await world.services.transfer.export.write(world.org_id, world.org, path)
    await forget(world.services.database.driver, world.org)

    found = await refused_ids(world, path, one_in=1 if nightly else 12)

    # Each property that holds an id by its name is tried, as far as something was written to it.
    assert {"node.scope_id", "node.searchable_in", "node.home_id", "node.by_uid", "node.of_uid"} <= found
    assert {"link.scope_id", "link.tag_uid", "link.memory_uid", "link.from", "link.to"} <= found
    assert {"node.payload.space", "node.changes.scope_id", "node.result.uid"} <= found
    await world.services.transfer.importing.read(path)


async def refused_ids(world: World, path: Path, *, one_in: int) -> set[str]:
    """The names of what has an id in a file. Altered by itself, none was imported.

    Every name of a space is altered, and one in some of the others.
    """
    foreign = await another(world)
    lines = lines_of(path)
    found = places(lines)
    let_in = []
    for count, (name, (number, at, text)) in enumerate(sorted(found.items())):
        kind = kind_of(text)
        assert kind is not None
        if kind is not Kind.SPACE and count % one_in:
            continue
        changed = replaced(lines[number], at, foreign[kind])
        if name == "node.uid":
            changed["node"] = foreign[kind]
        altered = written(path.with_name("altered.jsonl"), [*lines[:number], changed, *lines[number + 1 :]])
        try:
            error = await refused(world, altered)
        except pytest.fail.Exception:
            let_in.append(name)
            await world.rows("MATCH (n {org_id: $id}) DETACH DELETE n", id=lines[0]["id"])
            continue
        assert f"line {number + 1}" in error.message, (name, error.message)
        assert "nothing was written" in error.message, (name, error.message)
        assert isinstance(error, Duplicate) if name == "node.uid" else isinstance(error, InvalidInput)
    assert let_in == []
    return {*found}


async def exported(world: World, path: Path) -> list[Line]:
    """The lines of a small organisation's file; the organisation itself is gone from the database."""
    caller = await world.caller()
    goal = CreateGoal(title="tea")
    await world.services.goals.service.create(caller, goal)
    draft = ObservationDraft(content="the kettle boils", tags=("tea",))
    await world.services.scratch.service.add(caller, [draft])
    drafts = [MemoryDraft(kind=MemoryKind.MANDATE, content="Never pour cold water")]
    await world.services.memory.remember(caller, Remember(memories=drafts))
    await world.services.transfer.export.write(world.org_id, world.org, path)
    await forget(world.services.database.driver, world.org)
    return lines_of(path)


def the(lines: list[Line], label: str) -> int:
    """The place of the first node with a label."""
    return next(number for number, value in enumerate(lines) if label in value.get("labels", ()))


def with_change(lines: list[Line], number: int, change: Callable[[Line], object]) -> list[Line]:
    """A copy of the lines, one of them changed."""
    copy: Line = json.loads(json.dumps(lines[number]))
    change(copy)
    return [*lines[:number], copy, *lines[number + 1 :]]


@ALTERED
async def test_a_mandate_does_not_come_into_another_organisations_space(world: World, tmp_path: Path) -> None:
    lines = await exported(world, tmp_path / "whole.jsonl")
    other = f"{world.org}-other"
    await world.services.access.create_organisation(other)
    victim = await world.services.access.caller(replace_org(world, other))
    mandate = the(lines, "Mandate")

    def move(line: Line) -> None:
        line["properties"] |= {"scope_id": victim.home, "searchable_in": victim.home}

    error = await refused(world, written(tmp_path / "altered.jsonl", with_change(lines, mandate, move)))

    assert isinstance(error, InvalidInput)
    assert error.field == "file"
    uid = lines[mandate]["node"]
    assert error.message == (
        f'line {mandate + 1} ("{uid}") says "scope_id" "{victim.home}", which is not a space of this file: '
        "export it again; nothing was written"
    )


def replace_org(world: World, org: str) -> Any:
    return world.principal().model_copy(update={"org": org})


async def test_a_file_of_another_shape_is_refused_before_anything_is_written(
    world: World, tmp_path: Path
) -> None:
    lines = await exported(world, tmp_path / "whole.jsonl")
    goal, org = the(lines, "Goal"), the(lines, "Organisation")
    link = next(number for number, value in enumerate(lines) if value.get("type") == "TAGGED")

    def sets(number: int, **properties: Any) -> list[Line]:
        return with_change(lines, number, lambda line: line["properties"].update(properties))

    def labelled(number: int, *labels: str) -> list[Line]:
        return with_change(lines, number, lambda line: line.update(labels=[*labels]))

    cases: list[tuple[list[Line], str]] = [
        (sets(goal, scope_id=None), "was altered"),
        (with_change(lines, goal, lambda line: line["properties"].pop("scope_id")), "without `scope_id`"),
        # What is in no space of the organisation but has the id of one of its records is in none either.
        (sets(goal, scope_id=lines[goal]["node"]), "is not a space of this file"),
        (sets(the(lines, "Agent"), home_id=world.org_id), "is not a space of this file"),
        (sets(link, scope_id=world.org_id), "is not a space of this file"),
        (sets(link, tag_uid=lines[goal]["node"]), "at no end of it"),
        (sets(goal, by_uid="nobody"), "is not anything of this file"),
        (sets(goal, constraints=["a", 1]), "was altered"),
        (sets(goal, priority_rank=1 << 63), "was altered"),
        (sets(goal, milestones={"a": "map"}), "was altered"),
        (sets(goal, **{"": "x"}), "was altered"),
        (sets(org, key="another"), "another key of the organisation"),
        (labelled(goal, ""), "was altered"),
        (labelled(goal, "Lease"), "belongs to no organisation"),
        (labelled(goal, "Importing"), "belongs to no organisation"),
        (labelled(goal, "Organisation"), "has another organisation"),
        (labelled(org, "Space"), "has another organisation"),
        ([*lines[:goal], lines[goal], lines[goal], *lines[goal + 1 :]], f"has the id of line {goal + 1}"),
        (
            [value for value in lines if value.get("node") != world.org_id],
            "which is not anything of this file",
        ),
    ]
    marker = {"node": f"import_{world.org_id}", "uid": f"import_{world.org_id}"}
    cases.append(
        (
            with_change(
                lines,
                goal,
                lambda line: line.update(node=marker["node"]) or line["properties"].update(marker),
            ),
            "which is none",
        )
    )
    for changed, said in cases:
        error = await refused(world, written(tmp_path / "altered.jsonl", changed))
        assert isinstance(error, InvalidInput), said
        assert said in error.message, error.message
        assert "nothing was written" in error.message
    await world.services.transfer.importing.read(tmp_path / "whole.jsonl")


@ALTERED
async def test_what_was_deleted_may_be_named_unless_it_is_somebody_elses(
    world: World, tmp_path: Path
) -> None:
    path = tmp_path / "whole.jsonl"
    caller = await world.caller()
    (gone,) = await world.services.scratch.service.add(caller, [ObservationDraft(content="the cup is full")])
    # Retention leaves the events about it.
    await world.rows("MATCH (o:Observation {org_id: $org}) DETACH DELETE o")
    await world.services.transfer.export.write(world.org_id, world.org, path)
    await forget(world.services.database.driver, world.org)
    other = await world.services.access.create_organisation(f"{world.org}-other")
    await world.rows(
        "CREATE (:Observation {uid: $uid, org_id: $other, scope_id: 'x'})", uid=gone.uid, other=other
    )

    error = await refused(world, path)

    assert isinstance(error, InvalidInput)
    assert f'"{gone.uid}", which is a record of another organisation of the database' in error.message
    await world.rows("MATCH (o:Observation {org_id: $other}) DELETE o", other=other)
    await world.services.transfer.importing.read(path)
    events = await world.rows("MATCH (e:OutboxEvent {org_id: $org}) RETURN e.aggregate AS uid")
    assert {"uid": gone.uid} in events


@REFUSED_LATER
async def test_what_is_left_of_an_organisation_is_neither_added_to_nor_deleted(
    world: World, tmp_path: Path
) -> None:
    await exported(world, tmp_path / "whole.jsonl")
    await world.rows("CREATE (:Goal {uid: 'goal_left', org_id: $org, scope_id: 'x'})")

    error = await refused(world, tmp_path / "whole.jsonl")

    assert isinstance(error, Duplicate)
    assert "1 node of this organisation, but not the organisation itself" in error.message
    await world.rows("MATCH (g:Goal {org_id: $org}) DELETE g")


Action = Callable[[], Awaitable[object]]


def meanwhile(monkeypatch: pytest.MonkeyPatch, phase: str, batch: int, action: Action) -> None:
    """Let something happen before a batch of a phase is written, once."""
    batches = 0

    def wrapped(write: importing.Write) -> importing.Write:
        async def work(tx: Any, header: Any, rows: list[Any], before: int, done: int) -> int | None:
            nonlocal batches
            batches += 1
            if batches == batch:
                await action()
            return await write(tx, header, rows, before, done)

        return work

    phases = tuple(
        (what, rows, wrapped(write) if what == phase else write) for what, rows, write in importing._PHASES
    )
    monkeypatch.setattr(importing, "_PHASES", phases)
    monkeypatch.setattr(importing, "_BATCH", 7)


async def indexed(world: World) -> bool:
    return bool(await world.rows("SHOW INDEXES YIELD name WHERE name = 'importing_uid' RETURN name"))


@pytest.mark.parametrize(
    ("phase", "batch", "change", "kind", "said"),
    first_by_day(
        [
            (
                "relationships",
                2,
                "MATCH (n:Importing {org_id: $org}) WHERE n.kind = 'mandate' DETACH DELETE n",
                Conflict,
                "something else has changed what was imported",
            ),
            (
                "relationships",
                3,
                "MATCH (:Importing {org_id: $org})-[r]->() WITH r LIMIT 1 DELETE r",
                Conflict,
                "relationships, the file",
            ),
            (
                "relationships",
                3,
                "MATCH (n:Importing {org_id: $org}) WHERE n.kind = 'mandate' SET n.scope_id = 'spc_other'",
                Conflict,
                "scope_id 'spc_other'",
            ),
            (
                "labels",
                5,
                # The last one by its id is a version.
                "MATCH (n:Importing {org_id: $org}) WITH max(n.uid) AS x "  # noqa: ISC004
                "CREATE (:Version {uid: x, org_id: $other})",
                Duplicate,
                "exists already",
            ),
        ],
        "another change meanwhile",
    ),
)
async def test_an_import_that_is_refused_on_its_way_leaves_nothing(
    world: World,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    phase: str,
    batch: int,
    change: str,
    kind: type[PrefrontalError],
    said: str,
) -> None:
    path, other = tmp_path / "whole.jsonl", f"{world.org}-stranger"
    await exported(world, path)
    before = await everything(world)
    meanwhile(monkeypatch, phase, batch, lambda: world.rows(change, other=other))
    monkeypatch.setattr(importing, "_TAKEN_BACK", 10)

    with pytest.raises(kind, match=said):
        await world.services.transfer.importing.read(path)

    await world.rows("MATCH (n {org_id: $other}) DELETE n", other=other)
    assert await everything(world) == before
    assert not await indexed(world)
    assert (await world.services.transfer.importing.read(path)).resumed is False


async def test_an_import_that_fails_leaves_nothing(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = await exported(world, tmp_path / "whole.jsonl")
    before = await everything(world)

    async def fail() -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        meanwhile(patch, "labels", 3, fail)
        with pytest.raises(RuntimeError):
            await world.services.transfer.importing.read(tmp_path / "whole.jsonl")
    assert await everything(world) == before

    # The database can hold no half of a pair of surrogates.
    half = with_change(lines, the(lines, "Goal"), lambda line: line["properties"].update(title="\ud800"))
    error = await refused(world, written(tmp_path / "altered.jsonl", half))
    assert "surrogate" in error.message

    path = tmp_path / "whole.jsonl"
    with monkeypatch.context() as patch:

        async def lose() -> None:
            path.rename(tmp_path / "lost.jsonl")

        meanwhile(patch, "nodes", 1, lose)
        with pytest.raises(InvalidInput, match="No such file"):
            await world.services.transfer.importing.read(path)
    assert await everything(world) == before


@REFUSED_LATER
async def test_an_import_that_the_database_interrupts_goes_on(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, driver = tmp_path / "whole.jsonl", world.services.database.driver
    caller = await world.caller()
    await world.services.goals.service.create(caller, CreateGoal(title="tea"))
    graph = await dump(driver, world.org_id)
    await world.services.transfer.export.write(world.org_id, world.org, path)
    await forget(driver, world.org)

    async def away() -> None:
        raise Unavailable("away")

    with monkeypatch.context() as patch:
        meanwhile(patch, "relationships", 2, away)
        with pytest.raises(Unavailable):
            await world.services.transfer.importing.read(path)
    assert (await everything(world))["importing"] > 0
    assert (await world.services.transfer.importing.read(path)).resumed
    assert await dump(driver, world.org_id) == graph


@NIGHTLY
async def test_an_import_that_was_not_taken_back_to_its_end_is_before_the_next_one(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "whole.jsonl"
    await exported(world, path)
    undo, calls = store.undo, 0

    async def undo_once(*args: Any, **kwargs: Any) -> int | None:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise Unavailable("away")
        return await undo(*args, **kwargs)

    async def fail() -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(importing, "_TAKEN_BACK", 5)
        patch.setattr(store, "undo", undo_once)
        meanwhile(patch, "labels", 3, fail)
        with pytest.raises(RuntimeError):
            await world.services.transfer.importing.read(path)
    (marker,) = await world.rows("MATCH (m:Importing {uid: 'import_' + $org}) RETURN m.done AS done")
    assert marker["done"] == -1

    done = await world.services.transfer.importing.read(path)

    assert (done.resumed, done.nodes) == (False, lines_of(path)[-1]["end"]["nodes"])
    assert (await everything(world))["importing"] == 0
    counts = await world.counts()
    assert (counts["Goal"], counts["Mandate"], counts["Organisation"]) == (1, 1, 1)


@NIGHTLY
async def test_a_process_that_is_late_takes_back_nothing_of_another_one(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "whole.jsonl"
    lines = await exported(world, path)
    read = world.services.transfer.importing.read

    async def bring_it() -> None:
        monkeypatch.undo()
        assert (await read(path)).nodes == lines[-1]["end"]["nodes"]

    meanwhile(monkeypatch, "relationships", 2, bring_it)
    with pytest.raises(Conflict, match="another process imports this organisation"):
        await read(path)

    counts = await world.counts()
    assert (counts["Goal"], counts["Mandate"], counts["Organisation"]) == (1, 1, 1)
    assert (await everything(world))["importing"] == 0


def test_every_name_of_an_id_is_one_that_is_stored() -> None:
    schema = declared_schema(node_classes())
    stored = {
        name: declared.type
        for declarations in (*schema.labels.values(), *schema.relationships.values())
        for name, declared in declarations.items()
    }
    # Keys of JSON, not properties.
    names = (
        references.SPACES - {"space_id", "space"} | references.OWNERS | references.ACTORS | references.ENDS
    )
    assert names | references.ALSO | references.JSON <= stored.keys()
    assert not [name for name in references.JSON | references.ALSO if "STRING" not in stored[name]]


def test_every_label_of_what_belongs_to_no_organisation_is_known() -> None:
    schema = declared_schema(node_classes())
    homeless = {label for label, declared in schema.labels.items() if "scope_id" not in declared}
    assert homeless | {"KeyLock"} == references.HOMELESS
