"""Whatever the recovery of a part raises is a failed attempt of that part, and no other commit's answer."""

from __future__ import annotations

from typing import Any

import pytest
from neo4j.exceptions import ClientError, Neo4jError
from structlog.testing import capture_logs

from prefrontal.graph.caller import Caller
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.errors import Forbidden, OutcomeUnknown, QuotaExceeded, Unavailable
from prefrontal.graph.journal.commits import COMMITS, Commits
from prefrontal.graph.memory.record import MemoryFilter, MemoryKind
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.tools.record import TrackToolInvocation
from prefrontal.graph.turns.commit_record import CallStore, CommitStore, CommitTurn, StoreStatus
from prefrontal.graph.turns.record import CommitStatus, TurnAction, TurnObservationUpdate, TurnProgress
from tests.graph.test_commit_turn import ALL, goal_in, messages, statuses, trace, whole
from tests.support.failing import REFUSED, Fault, failing, raising, refusing, running
from tests.support.thinned import first_by_day
from tests.support.world import World

NIGHTLY = pytest.mark.nightly("a part that fails again is told by its own commit with each change")

PARTS = (*CommitStore, CallStore.EXECUTION_LOG)
KEY_TAKEN = "UNWIND [1, 2] AS n CREATE (:Observation {scope_id: 'nowhere', client_key: 'taken'})"
NUMBER_TAKEN = "UNWIND [1, 2] AS n CREATE (:Version {of_uid: 'nobody', number: 1})"
ALWAYS = 100


def _too_late() -> Exception:
    error = Neo4jError._basic_hydrate(
        neo4j_code="Neo.ClientError.Transaction.TransactionTimedOut", message="m"
    )
    assert isinstance(error, ClientError)
    return error


FAULTS: dict[str, tuple[Fault, str]] = {
    "the database refuses the statement": (REFUSED, "ClientError"),
    "a key of a client is taken": (running(KEY_TAKEN), "ConstraintError"),
    "a number of the service is taken": (running(NUMBER_TAKEN), "ConstraintError"),
    "the caller may not do it": (raising(lambda: Forbidden("no")), "forbidden"),
    "there is no room": (raising(lambda: QuotaExceeded("no")), "quota_exceeded"),
    "no database holds the text": (
        raising(lambda: UnicodeEncodeError("utf-8", "\ud800", 0, 1, "half a pair")),
        "invalid",
    ),
    "the program has a defect": (raising(lambda: LookupError("no")), "LookupError"),
    "the database is late": (raising(_too_late), "timeout"),
    "the database is away": (raising(lambda: Unavailable("no")), "unavailable"),
    "nobody knows": (raising(lambda: OutcomeUnknown("no")), "unavailable"),
}
LATE = {"timeout", "unavailable"}


async def commit(world: World, turn: str, caller: Caller | None = None, **given: Any) -> Any:
    caller = caller or await world.caller()
    return await world.services.turns.finalization.commit(caller, CommitTurn(turn_id=turn, **given))


async def pending(world: World) -> list[tuple[str, str, int, str | None]]:
    rows = await world.rows(
        "MATCH (p:PendingCommit {org_id: $org}) "
        "RETURN p.store AS store, p.status AS status, p.attempts AS attempts, p.code AS code ORDER BY p.uid"
    )
    return [(row["store"], row["status"], row["attempts"], row["code"]) for row in rows]


async def failed_with_all(world: World, goal: str) -> None:
    """A turn `t` of which all parts failed four times, and a call of a tool as often."""
    given = {name: each for name, each in whole(goal).items() if name != "tool_invocations"}
    with failing(world.services, *PARTS, times=4), refusing(world.services.tools, "track_in", times=1):
        call = TrackToolInvocation(turn_id="t", tool="thermometer", result={"t": 30}, goal_id=goal)
        await world.services.turns.tracking.track(await world.caller(), call)
        done = await commit(world, "t", **given)
    assert set(statuses(done).values()) == {StoreStatus.ESCALATED}
    # The commit has tried the call again, too.
    assert [each[:3] for each in await pending(world)] == [
        (CallStore.EXECUTION_LOG, "escalated", 5),
        *((store, "escalated", 4) for store in CommitStore),
    ]
    world.clock.advance(seconds=1)


async def stored(world: World, goal: str) -> dict[str, Any]:
    """What the parts of the turn `t` bring."""
    (found,) = (await world.services.goals.service.get(await world.caller(), [goal])).values()
    page = await world.services.memory.list(
        await world.caller(), MemoryFilter(kinds=(MemoryKind.EPISODE,)), first=50
    )
    counts = await world.counts()
    return {
        "progress": found.progress,
        "messages": [each for each in await messages(world) if each != ("user", "Next")],
        "episodes": sorted(each.content for each in page.items),
        **{
            label: counts.get(label, 0)
            for label in ("Outcome", "PendingAction", "Observation", "ToolInvocation")
        },
    }


NOTHING = {
    "progress": 0.0,
    "messages": [],
    "episodes": [],
    "Outcome": 0,
    "PendingAction": 0,
    "Observation": 0,
    "ToolInvocation": 0,
}
EVERYTHING = {
    "progress": 0.25,
    "messages": [("user", "Is it hot?"), ("assistant", "Yes")],
    "episodes": ["It was hot", "Succeeded: answered. What worked: Asking twice."],
    "Outcome": 1,
    "PendingAction": 1,
    "Observation": 1,
    "ToolInvocation": 1,
}


@NIGHTLY
@pytest.mark.covers("TURN-138..140", "TURN-142")
@pytest.mark.parametrize("kind", first_by_day(FAULTS, "another fault", by_day=3))
async def test_no_part_that_fails_again_keeps_a_later_commit_from_its_own_answer(
    world: World, kind: str
) -> None:
    goal = (await goal_in(world)).uid
    await failed_with_all(world, goal)
    fault, code = FAULTS[kind]
    before = {each[0]: each[2] for each in await pending(world)}
    with failing(world.services, *PARTS, times=ALWAYS, by=(fault,), turn="t") as failed:
        for number, caller in enumerate([await world.caller(), await world.caller(person="ann")]):
            failed.clear()
            key = f"key-{number}"
            done = await commit(world, f"next-{number}", caller, user_input="Next", idempotency_key=key)
            assert (done.status, statuses(done)) == (CommitStatus.OK, ALL)
            # A late database is not asked for the other parts before the commit has had its turn.
            assert len(failed) == (1 if code in LATE else len(PARTS))
            again = await commit(world, f"next-{number}", caller, user_input="Next", idempotency_key=key)
            assert (again.export_id, again.status) == (done.export_id, CommitStatus.OK)
            world.clock.advance(seconds=1)
        # Each of the four calls has tried all, or the one that was tried least lately.
        tried = [each for each in await pending(world) if each[2] > before[each[0]]]
        assert {each[1::2] for each in tried} == {("escalated", code)}
        assert len(tried) == (4 if code in LATE else len(PARTS))
        assert {each[2] - before[each[0]] for each in tried} == {1 if code in LATE else 4}
    assert await stored(world, goal) == NOTHING
    assert len([each for each in await messages(world) if each == ("user", "Next")]) == 2

    await commit(world, "last")
    assert await stored(world, goal) == EVERYTHING
    assert {each[1] for each in await pending(world)} == {"committed"}
    (turn,) = await world.rows("MATCH (t:Turn {org_id: $org, key: 't'}) RETURN t.commit_status AS status")
    assert turn == {"status": "ok"}


@pytest.mark.covers("TURN-138..141", "TURN-144")
@pytest.mark.parametrize("kind", first_by_day(FAULTS, "another fault", by_day=2))
async def test_a_part_that_fails_again_at_once_is_told_as_such_by_its_own_commit(
    world: World, kind: str
) -> None:
    goal = (await goal_in(world)).uid
    fault, code = FAULTS[kind]
    with failing(world.services, *CommitStore, times=ALWAYS, by=(REFUSED, fault), turn="t"):
        with capture_logs() as logs:
            done = await commit(world, "t", idempotency_key="k", **whole(goal))
        late = code in LATE
        status = StoreStatus.PENDING if late else StoreStatus.ESCALATED
        assert {(each.status, each.attempts, each.code) for each in done.stores} == {
            (status, 2 if late else 4, code)
        }
        assert (done.status, done.turn.status.value) == (CommitStatus.FAILED, "complete")
        assert len([each for each in logs if each["event"] == "commit_escalated"]) == (0 if late else 4)
        assert "Yes" not in str(logs)
        again = await commit(world, "t", idempotency_key="k", **whole(goal))
        assert (again.export_id, again.status) == (done.export_id, CommitStatus.FAILED)
    done = await commit(world, "t", idempotency_key="k", **whole(goal))
    assert (statuses(done), done.status) == (ALL, CommitStatus.OK)
    # The call was a part of none of the stores.
    called = 'thermometer() returned {"t": 30}'
    assert await stored(world, goal) == EVERYTHING | {"episodes": [*EVERYTHING["episodes"], called]}


@pytest.mark.covers("TURN-139..140", "TURN-142..146")
@pytest.mark.parametrize("statement", first_by_day([KEY_TAKEN, NUMBER_TAKEN], "another constraint"))
@pytest.mark.parametrize("store", first_by_day(CommitStore, "another store"))
async def test_a_store_that_fails_by_a_constraint_is_one_that_fails(
    world: World, store: CommitStore, statement: str
) -> None:
    goal = (await goal_in(world)).uid
    with failing(world.services, store, times=ALWAYS, by=(running(statement),), turn="t"):
        done = await commit(world, "t", idempotency_key="k", **whole(goal))
        assert statuses(done) == ALL | {store: StoreStatus.ESCALATED}
        assert {each.store: each.code for each in done.stores}[store] == "ConstraintError"
        again = await commit(world, "t", idempotency_key="k", **whole(goal))
        assert (again.export_id, again.status) == (done.export_id, CommitStatus.PARTIAL)
        later = await commit(world, "next", user_input="Next")
        assert (later.status, statuses(later)) == (CommitStatus.OK, ALL)
    await commit(world, "last")
    assert (await stored(world, goal))["progress"] == 0.25
    assert {each[1] for each in await pending(world)} == {"committed"}


@pytest.mark.covers("TURN-138..140", "TURN-142..146", "TRC-27")
@pytest.mark.parametrize(
    "store", first_by_day([CommitStore.FRONTAL_CORTEX, CommitStore.SCRATCH_PAGE], "another store")
)
async def test_a_constraint_that_what_is_stored_breaks_blocks_nobody_else(
    world: World, store: CommitStore
) -> None:
    bot = await world.caller()
    goal = (await goal_in(world)).uid
    (noted,) = await world.services.scratch.service.add(bot, [ObservationDraft(content="The fan is broken")])
    given: dict[str, Any] = {"progress": [TurnProgress(goal_id=goal, delta=0.25)]}
    if store is CommitStore.SCRATCH_PAGE:
        given = {"updated_observations": [TurnObservationUpdate(id=noted.uid, content="It works")]}
    # A version that the record does not have yet.
    await world.rows(
        "UNWIND $uids AS uid MATCH (n:Goal|Observation {uid: uid}) "
        "CREATE (:Stray:Version {uid: 'ver_' + n.uid, org_id: $org, of_uid: n.uid, number: n.version + 1})",
        uids=[goal, noted.uid],
    )
    done = await commit(world, "t", idempotency_key="k", **given)
    assert statuses(done) == ALL | {store: StoreStatus.ESCALATED}
    assert {each.code for each in done.stores} == {None, "ConstraintError"}
    other = await world.services.goals.service.create(bot, CreateGoal(title="Other"))
    for number, caller in enumerate([bot, await world.caller(person="ann")]):
        step = TurnProgress(goal_id=other.uid, delta=0.25)
        later = await commit(world, f"next-{number}", caller, progress=[step])
        assert (later.status, statuses(later)) == (CommitStatus.OK, ALL)
        (result,) = later.results
        assert (result.problem, result.goal.progress) == (None, 0.25 * (number + 1))
    assert len(await trace(world, "store_failed")) == 6
    again = await commit(world, "t", idempotency_key="k", **given)
    assert (again.export_id, again.status) == (done.export_id, CommitStatus.PARTIAL)

    await world.rows("MATCH (s:Stray {org_id: $org}) DETACH DELETE s")
    last = await commit(world, "last")
    assert statuses(last) == ALL
    (moved,) = (await world.services.goals.service.get(bot, [goal])).values()
    (changed,) = (await world.services.scratch.service.get(bot, [noted.uid])).values()
    expected = (0.25, "The fan is broken") if store is CommitStore.FRONTAL_CORTEX else (0.0, "It works")
    assert (moved.progress, changed.content) == expected


@pytest.mark.covers("TURN-142")
@pytest.mark.parametrize(
    "wrong",
    first_by_day(
        [
            "p.payload = '{'",
            "p.store = 'attic'",
            "p.payload = '[]'",
            "p.payload = '{}'",
            "p.payload = null",
            "p.payload = replace(p.payload, '\"user_input\"', '\"said_by_user\"')",
            "p.attempts = null",
            "p.created_at = null",
        ],
        "another property of the part",
    ),
)
async def test_a_part_that_nobody_can_read_keeps_nobody_from_the_others(world: World, wrong: str) -> None:
    goal = (await goal_in(world)).uid
    with failing(world.services, *CommitStore, times=4):
        await commit(world, "t", **whole(goal))
    world.clock.advance(seconds=1)
    await world.rows(f"MATCH (p:PendingCommit {{org_id: $org, store: 'conversation'}}) SET {wrong}")
    done = await commit(world, "next")
    assert (done.status, statuses(done)) == (CommitStatus.OK, ALL)
    found = await stored(world, goal)
    readable = wrong == "p.created_at = null"
    assert found["messages"] == (EVERYTHING["messages"] if readable else [])
    assert (found["progress"], found["Observation"], found["Outcome"]) == (0.25, 1, 1)
    left = [each for each in await pending(world) if each[1] != "committed"]
    assert len(left) == (0 if readable else 1)


@NIGHTLY
@pytest.mark.covers("TURN-142")
async def test_parts_that_always_fail_let_the_others_have_their_turn(world: World) -> None:
    services = world.services
    table = services.catalog.turns.model_copy(update={"pending_commits": 2})
    usual = services.catalog.turns
    with failing(services, *CommitStore, times=ALWAYS):
        await commit(world, "t", user_input="Never")
        world.clock.advance(seconds=1)
        await commit(world, "u", user_input="Later", idempotency_key="u")
    object.__setattr__(services.catalog, "turns", table)
    try:
        with failing(services, *CommitStore, times=ALWAYS, turn="t"):
            for number in range(4):
                world.clock.advance(seconds=1)
                await commit(world, f"next-{number}")
    finally:
        object.__setattr__(services.catalog, "turns", usual)
    assert await messages(world) == [("user", "Later")]


@pytest.mark.covers("TURN-142")
async def test_a_part_waits_for_somebody_who_may_write_to_its_space(world: World) -> None:
    both = await world.caller(person="ann")
    assert both.person_home is not None
    action = TurnAction(title="Buy water", type="agent_task")
    with failing(world.services, CommitStore.FRONTAL_CORTEX, times=4):
        await commit(world, "t", both, space=both.person_home, new_actions=[action])
    done = await commit(world, "next", await world.caller())
    assert (done.status, statuses(done)) == (CommitStatus.OK, ALL)
    assert [each[1:] for each in await pending(world)] == [("escalated", 5, "not_found")]
    await commit(world, "last", both)
    assert [each[1] for each in await pending(world)] == ["committed"]
    rows = await world.rows("MATCH (a:PendingAction {org_id: $org}) RETURN a.title AS title, a.scope_id AS s")
    assert rows == [{"title": "Buy water", "s": both.person_home}]


@pytest.mark.covers("TURN-143")
async def test_what_is_recovered_is_no_change_of_the_commit_that_recovers_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with failing(world.services, CommitStore.CONVERSATION, times=4):
        await commit(world, "t", user_input="Is it hot?")

    async def away(*_: object, **__: object) -> None:
        raise Unavailable("the database is away; nothing was written")

    monkeypatch.setattr(world.services.turns.finalization, "_run", away)
    counted = Commits()
    token = COMMITS.set(counted)
    try:
        with pytest.raises(Unavailable):
            await commit(world, "next", user_input="Next")
    finally:
        COMMITS.reset(token)
    # The client is told that nothing was written: so it was, of this commit.
    assert counted.number == 0
    assert await messages(world) == [("user", "Is it hot?")]


@pytest.mark.covers("TURN-142")
async def test_a_failure_that_cannot_be_noted_blocks_nobody_either(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with failing(world.services, CommitStore.CONVERSATION, times=4):
        await commit(world, "t", user_input="Is it hot?")
    changes = world.services.turns.finalization._recovery._changes
    usual = changes.write

    async def written(caller: Caller, work: Any, *, operation: str, **more: Any) -> Any:
        if operation == "recoverCommit":
            raise LookupError("no")
        return await usual(caller, work, operation=operation, **more)

    monkeypatch.setattr(changes, "write", written)
    with capture_logs() as logs:
        done = await commit(world, "next")
    assert (done.status, statuses(done)) == (CommitStatus.OK, ALL)
    assert [(each["event"], each["code"]) for each in logs if each["log_level"] == "error"] == [
        ("store_not_committed", "LookupError"),
        ("attempt_not_noted", "LookupError"),
    ]
    assert [each[1:3] for each in await pending(world)] == [("escalated", 4)]
