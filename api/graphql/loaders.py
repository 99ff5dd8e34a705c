"""Loaders per request: a field asked of a hundred items costs one statement."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from strawberry.dataloader import DataLoader

from graph.cortex.goals.record import GoalLinks
from graph.ids import kind_of

if TYPE_CHECKING:
    from api.graphql.state import State
    from graph.access.record import Caller
    from graph.cortex.actions.record import PendingAction
    from graph.cortex.goals.record import Evidence, Goal
    from graph.recall.record import Memory
    from graph.scratch.record import Conflict, Observation
    from graph.turns.record import Turn

V = TypeVar("V")
Fetch = Callable[["Caller", Sequence[str]], Awaitable[dict[str, V]]]


class Loaders:
    """One loader per thing that is looked up by id; answers come in the order of the keys."""

    def __init__(self, state: State) -> None:
        """Make the loaders of one request."""
        services = state.services

        def loader(fetch: Fetch[V], default: Any = None) -> DataLoader[str, Any]:
            async def load(keys: list[str]) -> list[V]:
                caller = await state.caller()
                # What has not the form of an id names nothing, and need not even be text that can be sent.
                ids = [key for key in keys if kind_of(key) is not None]
                found = await fetch(caller, ids) if ids else {}
                return [found.get(key, default) for key in keys]

            return DataLoader(load_fn=load, max_batch_size=1000)

        self.observations: DataLoader[str, Observation | None] = loader(services.scratch.get)
        self.linked_goals: DataLoader[str, tuple[str, ...]] = loader(services.scratch.linked_goals, ())
        self.conflicts: DataLoader[str, tuple[Conflict, ...]] = loader(services.scratch.conflicts_of, ())
        self.goals: DataLoader[str, Goal | None] = loader(services.goals.get)
        self.evidence: DataLoader[str, tuple[Evidence, ...]] = loader(services.goals.evidence_of, ())
        self.links: DataLoader[str, GoalLinks] = loader(services.goals.links_of, GoalLinks())
        self.goal_actions: DataLoader[str, tuple[PendingAction, ...]] = loader(services.actions.of_goals, ())
        self.actions: DataLoader[str, PendingAction | None] = loader(services.actions.get)
        self.memories: DataLoader[str, Memory | None] = loader(services.recall.get)
        self.turns: DataLoader[str, Turn | None] = loader(services.turns.get_by_ids)
