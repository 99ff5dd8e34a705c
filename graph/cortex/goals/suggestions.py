"""Use case of suggesting goals that an observation may be linked to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.cortex.goals import evidence_store, store
from prefrontal.graph.cortex.goals.likelihood import likeliest
from prefrontal.graph.cortex.goals.record import GoalSuggestion
from prefrontal.graph.cortex.goals.topics import topics_to_compare
from prefrontal.graph.errors import NotFound
from prefrontal.graph.scratch.rules import may_be_evidence
from prefrontal.graph.search.record import SearchFilter, SearchKind
from prefrontal.graph.storage.paging import checked_first

if TYPE_CHECKING:
    from collections.abc import Sequence

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.cortex.goals.record import InCommon
    from prefrontal.graph.scratch.service import ScratchService
    from prefrontal.graph.search.service import SearchService
    from prefrontal.graph.storage.unit_of_work import Database, Tx


class GoalSuggestions:
    """Suggests the likeliest goals of an observation. Reads only: whoever agrees links the observation."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        catalog: Catalog,
        scratch: ScratchService,
        search: SearchService,
    ) -> None:
        self._database = database
        self._clock = clock
        self._catalog = catalog
        self._scratch = scratch
        self._search = search

    async def suggest(self, caller: Caller, uid: str, limit: int) -> Sequence[GoalSuggestion]:
        """Return the goals that an observation most likely speaks for, the likeliest first.

        They are active goals that the caller may link evidence to, about the same person if both name one.
        Goals that the observation is linked to already are left out, and so are unlikely ones. The list may
        be empty, and is for an observation that cannot be evidence any more.

        Args:
            caller: The caller.
            uid: The observation.
            limit: The largest number of goals, 1 to 100.

        Raises:
            NotFound: If the observation is unknown or not readable.
            InvalidInput: If the limit is out of range.
        """
        require(caller, Permission.READ)
        first = checked_first(limit, field="limit")
        observation = (await self._scratch.get(caller, [uid])).get(uid)
        if observation is None:
            raise NotFound("no such observation", field="observationId")
        if not may_be_evidence(observation):
            return ()
        ranking = await self._search.ranked(
            caller, observation.content, self._clock.now(), SearchFilter(kinds=(SearchKind.GOAL,))
        )
        near = {each.hit.uid: each.closeness for each in ranking.ranked}
        table = self._catalog.goals

        async def work(tx: Tx) -> list[GoalSuggestion]:
            found: list[InCommon] = await evidence_store.find_in_common(
                tx,
                caller,
                observation,
                topics=topics_to_compare(observation, table.topics, table.suggestions.most_topics),
                near=near,
                table=table,
            )
            best = likeliest(found, table.suggestions)[:first]
            goals = await store.find(tx, caller, [common.goal_id for common, _ in best])
            return [
                GoalSuggestion(goal=goals[common.goal_id], likelihood=value, in_common=common)
                for common, value in best
                if common.goal_id in goals
            ]

        return await self._database.read(work)
