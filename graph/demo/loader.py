"""Tells the demo story: every step on its own day, through the services."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML

from graph.access.record import Principal
from graph.bootstrap import build_services
from graph.cortex.actions.record import PendingActionDraft
from graph.cortex.goals.record import EvidenceDraft, GoalDraft
from graph.recall.record import MemoryDraft, MemoryKind
from graph.scratch.record import ObservationDraft

if TYPE_CHECKING:
    from graph.access.record import Caller
    from graph.services import Services
    from graph.storage.unit_of_work import Tx

_STORY = Path(__file__).with_name("story.yaml")
_TTL_MINUTES = 60 * 24 * 90
_BATCH = 5_000

ORGANISATION = "demo"
ACTORS = ("sommelier", "ann")
"""The agent and the person whose token shows the story."""


class _StoryClock:
    """Stands at the moment of the step that is being told."""

    def __init__(self, now: datetime) -> None:
        self.moment = now

    def now(self) -> datetime:
        """Return the moment of the step."""
        return self.moment


async def is_loaded(services: Services) -> bool:
    """Tell whether the demo organisation is there."""

    async def work(tx: Tx) -> bool:
        return await tx.optional("demo/find_organisation", org_key=ORGANISATION) is not None

    return await services.database.read(work)


async def load(services: Services, progress: Callable[[int, int], None] | None = None) -> int:
    """Tell the story in an organisation of its own and return how many steps it has.

    Raises:
        Duplicate: The demo organisation is there already; clear it first.
    """
    story: dict[str, Any] = YAML(typ="safe").load(_STORY.read_text(encoding="utf-8"))
    now = services.clock.now()
    clock = _StoryClock(now - timedelta(days=4))
    told = build_services(services.settings, services.database.driver, clock=clock)
    await told.access.create_organisation(story["organisation"], story["name"])
    caller = await told.access.caller(
        Principal(org=story["organisation"], agent=story["agent"], person=story["person"], roles=("writer",))
    )
    memories = [MemoryDraft(kind=MemoryKind.MANDATE, content=text) for text in story["mandates"]]
    memories += [MemoryDraft(kind=MemoryKind.CAPABILITY, content=text) for text in story["capabilities"]]
    await told.recall.remember(caller, memories)
    uids: dict[str, str] = {}
    for number, step in enumerate(story["steps"]):
        if progress:
            progress(number, len(story["steps"]))
        clock.moment = now - timedelta(days=step["days_ago"])
        await _tell(told, caller, step, uids)
    return len(story["steps"])


async def _tell(told: Services, caller: Caller, step: dict[str, Any], uids: dict[str, str]) -> None:
    keys = [item["key"] for item in step["observations"]]
    drafts = [_observation(item) for item in step["observations"]]
    stored = await told.scratch.add(caller, drafts, turn_id=step["turn"])
    uids.update({key: o.uid for key, o in zip(keys, stored, strict=True)})
    for item in step.get("goals", []):
        goal = await told.goals.create(caller, _goal(item, uids), turn_id=step["turn"])
        uids[item["key"]] = goal.uid


def _observation(item: dict[str, Any]) -> ObservationDraft:
    ((kind, name),) = item["source"].items()
    return ObservationDraft.model_validate(
        {
            "content": item["content"],
            "type": item["type"],
            "confidence": item["confidence"],
            "tags": tuple(item["tags"]),
            "source": {"kind": kind, "name": name},
            "ttl_minutes": _TTL_MINUTES,
        }
    )


def _goal(item: dict[str, Any], uids: dict[str, str]) -> GoalDraft:
    return GoalDraft(
        title=item["title"],
        description=item.get("description"),
        priority=item["priority"],
        horizon=item.get("horizon"),
        parent_goal_id=uids[item["parent"]] if "parent" in item else None,
        derived_from=tuple(uids[key] for key in item.get("derived_from", ())),
        evidence=tuple(EvidenceDraft(observation_id=uids[key]) for key in item["evidence"]),
        pending_actions=tuple(
            PendingActionDraft.model_validate(action) for action in item.get("actions", ())
        ),
    )


async def clear(services: Services, progress: Callable[[int], None] | None = None) -> int:
    """Delete the demo organisation with all it has and return how many nodes are gone."""

    async def work(tx: Tx) -> int:
        row = await tx.one("demo/clear_organisation", org_key=ORGANISATION, batch=_BATCH)
        return int(row["deleted"])

    gone = 0
    while step := await services.database.write(work, timeout_s=60):
        gone += step
        if progress:
            progress(gone)
    return gone
