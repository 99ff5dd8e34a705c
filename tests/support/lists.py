"""What belongs to nodes, as the lists of the services give it, all pages together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.caller import Caller
from prefrontal.graph.storage.related import PageOf, RelatedReader


async def all_of(
    reader: RelatedReader[Caller, Any], caller: Caller, uids: Sequence[str], size: int = 100
) -> dict[str, tuple[Any, ...]]:
    """The items of each list that has any, by the id of its node; the pages fit together and are counted."""
    found: dict[str, tuple[Any, ...]] = {}
    wanted = [PageOf(uid, size) for uid in dict.fromkeys(uids)]
    while wanted:
        pages = await reader.pages(caller, wanted)
        for page, items in pages.items():
            found[page.uid] = found.get(page.uid, ()) + items.items
        wanted = [
            reader.page_of(page.uid, size, items.cursors[-1])
            for page, items in pages.items()
            if items.has_next
        ]
    counts = await reader.counts(caller, list(dict.fromkeys(uids)))
    assert {uid: number for uid, number in counts.items() if number} == {
        uid: len(items) for uid, items in found.items()
    }
    return found


@dataclass(frozen=True)
class Why:
    """A piece of evidence."""

    observation_id: str
    content: str
    confidence: float
    note: str | None
    since: datetime


async def evidence_of(services: Services, caller: Caller, uids: Sequence[str]) -> dict[str, tuple[Why, ...]]:
    found = await all_of(services.goals.service.evidence, caller, uids)
    return {
        uid: tuple(
            Why(e.observation.uid, e.observation.content, e.confidence, e.note, e.since) for e in items
        )
        for uid, items in found.items()
    }


@dataclass(frozen=True)
class Links:
    """Where a goal is in the lineage, as ids."""

    parent_goal_id: str | None = None
    derived_from: tuple[str, ...] = ()
    lineage_ids: tuple[str, ...] = ()


async def links_of(services: Services, caller: Caller, uids: Sequence[str]) -> dict[str, Links]:
    """Where each readable goal is in the lineage."""
    goals = services.goals.service
    parents = await goals.parents_of(caller, uids)
    sources = await all_of(goals.predecessors, caller, uids)
    origins = await all_of(goals.origins, caller, uids)
    known = await goals.get(caller, uids)
    assert {*parents, *sources, *origins} <= {*known}
    return {
        uid: Links(
            parents[uid].uid if uid in parents else None,
            tuple(goal.uid for goal in sources.get(uid, ())),
            tuple(goal.uid for goal in origins.get(uid, ())),
        )
        for uid in uids
        if uid in known
    }
