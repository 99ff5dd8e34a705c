"""`kill -9` of `prefrontal compact` in the middle of what it writes.

A lock that the test holds stops the command where it is to be killed, whatever the speed of the machine.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.cortex.actions.record import PendingAction
from prefrontal.graph.cortex.goals.record import EvidenceDraft, Goal, GoalStatus, TransitionGoal
from prefrontal.graph.scratch.record import ObservationDraft
from tests.cli.conftest import clean_environment
from tests.fault.conftest import Site
from tests.graph.test_summaries import finished, planned
from tests.support.database import endpoint_of, environment_of
from tests.support.integrity import halves, rows_of
from tests.support.world import World

GOALS = 4
ENTRIES = 3
"""What the log of each action says: two changes and the completion."""


@dataclass
class Past:
    """Goals that are completed and their actions, one each, all of it long ago; what they rest on."""

    goals: list[Goal]
    actions: list[PendingAction]
    seen: list[str]


@pytest.fixture
async def past(site: Site) -> Past:
    world = site.world
    # The command goes by the time of day.
    world.clock.advance(days=-40)
    bot = await world.caller()
    found = Past([], [], [])
    for number in range(GOALS):
        # It fades in a year: no job of another process touches it meanwhile.
        fact = ObservationDraft(content=f"fact {number}", ttl_minutes=365 * 24 * 60)
        (seen,) = await world.services.scratch.service.add(bot, [fact])
        goal = await planned(world, f"step {number}", evidence=(EvidenceDraft(observation_id=seen.uid),))
        found.actions.append(await finished(world, goal, seen.uid, f"log {number}"))
        found.goals.append(
            await world.services.goals.transitions.transition(
                bot, TransitionGoal(id=goal.uid, status=GoalStatus.COMPLETED)
            )
        )
        found.seen.append(seen.uid)
        world.clock.advance(seconds=1)
    return found


@dataclass
class Compaction:
    """The command as somebody runs it, on the server of the tests."""

    site: Site
    folder: Path

    def _start(self) -> subprocess.Popen[str]:
        env = clean_environment(self.folder) | {
            **environment_of(endpoint_of(self.site.server)),
            # It waits for a lock, on a machine that may be slow.
            "PREFRONTAL_QUERY_TIMEOUT_S": "120",
        }
        arguments = ["compact", "--org", self.site.world.org, "--json"]
        return subprocess.Popen(
            [sys.executable, "-m", "prefrontal.api.cli", *arguments],
            cwd=ROOT,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    async def finish(self) -> dict[str, Any]:
        """What a run to the end says it did."""
        process = self._start()
        said, wrong = await asyncio.to_thread(process.communicate)
        assert process.returncode == 0, wrong
        done: dict[str, Any] = json.loads(said)
        return done

    async def killed_at(self, lock: str, **params: Any) -> None:
        """Kill a run when it waits for what `lock` has written and not committed."""
        async with self._locked(lock, **params):
            process = self._start()
            try:
                while not await self._blocked():
                    assert process.poll() is None, process.communicate()
                    await asyncio.sleep(0.02)
            finally:
                os.kill(process.pid, signal.SIGKILL)
                process.communicate()
        await self._gone()

    @asynccontextmanager
    async def _locked(self, lock: str, **params: Any) -> AsyncIterator[None]:
        async with self.site.world.services.database.driver.session() as session:
            tx = await session.begin_transaction()
            await (await tx.run(lock, **params)).consume()
            yield
            await tx.rollback()

    async def _blocked(self) -> bool:
        return bool(
            await self.site.world.rows(
                "SHOW TRANSACTIONS YIELD status, currentQuery "
                "WHERE status STARTS WITH 'Blocked' AND currentQuery CONTAINS 'Summary' RETURN status"
            )
        )

    async def _gone(self) -> None:
        """Return when the server has noticed that the process is gone, and has undone what it began."""
        for _ in range(1500):
            if not await self.site.world.rows(
                "SHOW TRANSACTIONS YIELD currentQuery, transactionId "
                "WHERE NOT currentQuery STARTS WITH 'CYPHER 25 SHOW' RETURN transactionId"
            ):
                return
            await asyncio.sleep(0.02)
        raise AssertionError("the transaction of the killed process is still open")


@pytest.fixture
def compaction(site: Site, tmp_path: Path) -> Compaction:
    return Compaction(site, tmp_path / "data")


async def everything_else(world: World) -> tuple[list[Any], list[Any]]:
    """All that compaction never touches: no summaries, no entries about actions, not when it was."""
    nodes, edges = await rows_of(world)
    entries = {
        node["properties"]["uid"]
        for node in nodes
        if "TraceEvent" in node["labels"] and node["properties"]["kind"].startswith("action_")
    }
    kept = [
        {
            "labels": node["labels"],
            "has": {k: v for k, v in node["properties"].items() if k != "compacted_at"},
        }
        for node in nodes
        if "Summary" not in node["labels"] and node["properties"]["uid"] not in entries
    ]
    links = [
        edge for edge in edges if edge["type"] not in ("SUMMARISES", "RESTS_ON") and edge["b"] not in entries
    ]
    return sorted(kept, key=lambda node: node["has"]["uid"]), sorted(links, key=str)


async def state(world: World) -> tuple[dict[str, int], list[tuple[int, bool]]]:
    """How many summaries there are of each kind; of each action how many entries, and if it is compacted."""
    kinds = await world.rows("MATCH (s:Summary {org_id: $org}) RETURN s.kind AS kind, count(*) AS number")
    actions = await world.rows(
        "MATCH (a:PendingAction {org_id: $org}) RETURN a.compacted_at IS NOT NULL AS compacted, "
        "COUNT { MATCH (e:TraceEvent {org_id: $org}) "
        "WHERE e.kind STARTS WITH 'action_' AND e.ids[0] = a.uid } AS entries ORDER BY a.uid"
    )
    return (
        {row["kind"]: row["number"] for row in kinds},
        [(row["entries"], row["compacted"]) for row in actions],
    )


async def logs(world: World) -> list[tuple[list[str], list[str], int]]:
    """Of each action's summary what it names, what it is linked to, and how many entries it stands for."""
    rows = await world.rows(
        "MATCH (s:Summary {org_id: $org, kind: 'log'})-[:SUMMARISES]->(a:PendingAction) "
        "RETURN s.refs AS refs, [(s)-[:RESTS_ON]->(o) | o.uid] AS on, s.entries AS entries ORDER BY a.uid"
    )
    return [(row["refs"], row["on"], row["entries"]) for row in rows]


@pytest.mark.nightly("a process that is killed between its statements: test_commit_killed")
@pytest.mark.covers("VER-12..14")
async def test_a_compaction_that_is_killed_leaves_nothing_half_done_and_is_finished_by_the_next(
    past: Past, site: Site, compaction: Compaction
) -> None:
    world = site.world
    before, untouched = await everything_else(world), (ENTRIES, False)
    assert await state(world) == ({}, [untouched] * GOALS)

    # In the middle of the goals: some are in the transaction already, none is written.
    await compaction.killed_at(
        "CREATE (:Summary {of_uid: $uid, kind: 'meso', label: $label})",
        uid=past.goals[2].uid,
        label=f"v{past.goals[2].version}",
    )
    assert await state(world) == ({}, [untouched] * GOALS)

    # In the middle of the third log: its summary and most of its deletions are in the transaction.
    await compaction.killed_at(
        "MATCH (e:TraceEvent {kind: 'action_transitioned'}) WHERE e.ids[0] = $uid SET e.locked = true",
        uid=past.actions[2].uid,
    )
    told = {"meso": GOALS, "macro": GOALS}
    assert await state(world) == ({**told, "log": 2}, [(0, True)] * 2 + [untouched] * 2)
    assert await everything_else(world) == before
    assert await halves(world) == []
    named = [([seen, f"log {number}"], [seen], ENTRIES) for number, seen in enumerate(past.seen)]
    assert await logs(world) == named[:2]

    nothing = {"summaries": 0, "narratives": 0, "actions": 0, "entries": 0, "dry_run": False}
    assert await compaction.finish() == {**nothing, "actions": 2, "entries": 2 * ENTRIES}
    assert await state(world) == ({**told, "log": GOALS}, [(0, True)] * GOALS)
    assert await everything_else(world) == before
    assert await halves(world) == []
    assert await logs(world) == named
    assert await compaction.finish() == nothing
