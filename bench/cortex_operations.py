"""Measured operations of the frontal cortex: lists, history, and the upsert of many actions.

Aims, as multiples of the unit (a Bolt `RETURN 1`): a read at most 6, a lineage as of a time at most 15, an
upsert of 50 actions at most 60.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from bench.cortex_world import VERSIONS, entry
from bench.operations import Operation, WrongAnswer
from bench.world import World
from prefrontal.graph.cortex.actions.record import (
    PendingActionUpsert,
    UpsertPendingActions,
)

CORTEX_READ, AS_OF, UPSERT = 6.0, 15.0, 60.0
ENTRIES = 50
_PAGE = 20


async def _top_actions(world: World, _: Any) -> None:
    if len((await world.services.actions.service.list(world.caller)).items) != _PAGE:
        raise WrongAnswer("not a full page of actions")


async def _active_goals(world: World, _: Any) -> None:
    if len((await world.services.goals.service.list(world.caller)).items) != _PAGE:
        raise WrongAnswer("not a full page of goals")


async def _history(world: World, _: Any) -> None:
    page = await world.services.history.service.history(world.caller, world.changed)
    if (len(page.items), page.total) != (_PAGE, VERSIONS):
        raise WrongAnswer(f"{len(page.items)} of {page.total} versions")


async def _old_history(world: World, _: Any) -> None:
    """Read a page from the middle, where the last change of a field may lie many versions back."""
    first = await world.services.history.service.history(world.caller, world.changed, first=100)
    page = await world.services.history.service.history(world.caller, world.changed, after=first.cursors[-1])
    if len(page.items) != _PAGE:
        raise WrongAnswer("not a full page of versions")


async def _as_of(world: World, _: Any) -> None:
    now = world.services.clock.now()
    state = await world.services.history.service.as_of(world.caller, world.changed, now)
    if state is None or state.version != VERSIONS:
        raise WrongAnswer("another version")


async def _some_root(world: World) -> Any:
    return world.random.choice(world.roots)


async def _lineage_as_of(world: World, root: Any) -> None:
    at = world.services.clock.now() - timedelta(hours=1)
    found = await world.services.goals.service.lineage(world.caller, root, at=at)
    if not 30 <= len(found.nodes) <= 50:
        raise WrongAnswer(f"a tree of {len(found.nodes)} nodes")


async def _entries(world: World) -> Any:
    """Return entries for an upsert: half new actions, half changes of existing ones."""
    known = world.random.sample(world.action_uids, ENTRIES // 2)
    changed = [PendingActionUpsert(id=uid, description=f"changed {world.random.random()}") for uid in known]
    return [*changed, *(entry(world) for _ in range(ENTRIES - len(known)))]


async def _upsert(world: World, entries: Any) -> None:
    results = await world.services.actions.upsert.upsert(world.caller, UpsertPendingActions(actions=entries))
    if any(result.problem for result in results):
        raise WrongAnswer("an entry that was not applied")


CORTEX_OPERATIONS: tuple[Operation, ...] = (
    Operation("top-actions", "20 most useful pending actions of as many", _top_actions, aim=CORTEX_READ),
    Operation("active-goals", "20 most urgent active goals of 1,000", _active_goals, aim=CORTEX_READ),
    Operation("history", f"page of 20 of {VERSIONS:,} versions", _history, aim=CORTEX_READ),
    Operation("history-further", "pages of 100 and 20 of the same", _old_history, aim=2 * CORTEX_READ),
    Operation("as-of", f"a goal as it was, of {VERSIONS:,} versions", _as_of, aim=CORTEX_READ),
    Operation(
        "lineage-as-of", "lineage of a tree as it was, 39 nodes", _lineage_as_of, _some_root, aim=AS_OF
    ),
    Operation(
        "upsert-actions",
        f"upsert of {ENTRIES} actions, half of them new",
        _upsert,
        _entries,
        aim=UPSERT,
        writes=True,
    ),
)
