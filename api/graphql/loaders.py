"""Data loaders of one request: a field that is selected on a hundred items costs one statement."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from strawberry.dataloader import DataLoader

from prefrontal.graph.cortex.goals.record import GoalLinks
from prefrontal.graph.ids import kind_of

if TYPE_CHECKING:
    from prefrontal.graph.access.record import KnownActor, Space
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.caller import Caller, SpacePermission
    from prefrontal.graph.cortex.actions.record import PendingAction
    from prefrontal.graph.cortex.goals.record import Evidence, Goal, GoalShare
    from prefrontal.graph.cortex.questions.record import Question, Story
    from prefrontal.graph.entities.record import Entity
    from prefrontal.graph.memory.record import Memory
    from prefrontal.graph.registry.overrides.record import ActionTypeOverride
    from prefrontal.graph.registry.proposals.record import Awaited, RegistryProposal
    from prefrontal.graph.scratch.record import Conflict, Observation
    from prefrontal.graph.summaries.record import Summary
    from prefrontal.graph.turns.record import Turn

V = TypeVar("V")
Fetch = Callable[["Caller", Sequence[str]], Awaitable[dict[str, Any]]]


class SharedLoader(DataLoader[str, V]):
    """A data loader whose results are shared by fields that may be cancelled one by one.

    When a field fails, the executor cancels the fields beside it. Two fields that wait for the same record
    wait for the same future: without the shield, the end of one field would end the other one too.
    """

    def load(self, key: str) -> Awaitable[V]:
        """Return the record of a key, once it is there."""
        return asyncio.shield(super().load(key))


class _Loader(Generic[V]):
    """Creates a data loader on first use; most requests need none or one."""

    def __init__(self, fetch: Callable[[Services], Fetch], default: Any = None) -> None:
        self._fetch = fetch
        self._default = default
        self._name = ""

    def __set_name__(self, _: type, name: str) -> None:
        self._name = name

    def __get__(self, loaders: Loaders, _: type) -> DataLoader[str, V]:
        made = self._made(loaders)
        # An instance attribute takes precedence over this descriptor on the next access.
        loaders.__dict__[self._name] = made
        return made

    def _made(self, loaders: Loaders) -> DataLoader[str, V]:
        fetch, default = self._fetch(loaders.services), self._default

        async def load(keys: list[str]) -> list[V]:
            caller = await loaders.caller()
            # A text that is not an id finds nothing, and may not even be valid Unicode.
            ids = [key for key in keys if kind_of(key) is not None]
            found = await fetch(caller, ids) if ids else {}
            return [found.get(key, default) for key in keys]

        return SharedLoader(load_fn=load, max_batch_size=1000)


def forget(loader: DataLoader[str, Any], key: str) -> None:
    """Remove a key from a loader's cache, after a mutation of the same request changed the record."""
    with suppress(KeyError):
        loader.clear(key)


class Loaders:
    """The data loaders of one request, one for each lookup by id; results keep the order of keys."""

    def __init__(self, services: Services, caller: Callable[[], Awaitable[Caller]]) -> None:
        """Store the services and the function that returns the caller."""
        self.services = services
        self.caller = caller

    actors: _Loader[KnownActor | None] = _Loader(lambda services: services.access.actors)
    spaces: _Loader[Space | None] = _Loader(lambda services: services.access.spaces)
    observations: _Loader[Observation | None] = _Loader(lambda services: services.scratch.service.get)
    linked_goals: _Loader[tuple[str, ...]] = _Loader(
        lambda services: services.scratch.service.linked_goals, ()
    )
    conflicts: _Loader[tuple[Conflict, ...]] = _Loader(
        lambda services: services.scratch.service.conflicts_of, ()
    )
    goals: _Loader[Goal | None] = _Loader(lambda services: services.goals.service.get)
    evidence: _Loader[tuple[Evidence, ...]] = _Loader(lambda services: services.goals.service.evidence_of, ())
    evidence_counts: _Loader[int] = _Loader(lambda services: services.goals.sharing.count_evidence, 0)
    goal_permissions: _Loader[SpacePermission | None] = _Loader(
        lambda services: services.goals.sharing.permissions
    )
    goal_shares: _Loader[tuple[GoalShare, ...] | None] = _Loader(
        lambda services: services.goals.sharing.shared_with
    )
    links: _Loader[GoalLinks] = _Loader(lambda services: services.goals.service.links_of, GoalLinks())
    goal_actions: _Loader[tuple[PendingAction, ...]] = _Loader(
        lambda services: services.actions.service.of_goals, ()
    )
    goal_blockers: _Loader[tuple[str, ...]] = _Loader(lambda services: services.actions.service.blockers, ())
    actions: _Loader[PendingAction | None] = _Loader(lambda services: services.actions.service.get)
    overrides: _Loader[ActionTypeOverride | None] = _Loader(lambda services: services.registry.overrides.get)
    proposals: _Loader[RegistryProposal | None] = _Loader(
        lambda services: services.registry.proposals.service.get
    )
    awaited: _Loader[Awaited | None] = _Loader(lambda services: services.registry.proposals.service.awaited)
    memories: _Loader[Memory | None] = _Loader(lambda services: services.memory.get)
    turns: _Loader[Turn | None] = _Loader(lambda services: services.turns.trace.get_by_ids)
    entities: _Loader[Entity | None] = _Loader(lambda services: services.entities.get)
    mentioning: _Loader[tuple[str, ...]] = _Loader(lambda services: services.entities.mentioning, ())
    mention_counts: _Loader[int] = _Loader(lambda services: services.entities.count_mentions, 0)
    questions: _Loader[Question | None] = _Loader(lambda services: services.questions.service.get)
    stories: _Loader[Story | None] = _Loader(lambda services: services.questions.service.get_stories)
    goal_questions: _Loader[tuple[Question, ...]] = _Loader(
        lambda services: services.questions.service.of_goals, ()
    )
    goal_summaries: _Loader[tuple[Summary, ...]] = _Loader(lambda services: services.summaries.of_goals, ())
    question_stories: _Loader[tuple[Story, ...]] = _Loader(
        lambda services: services.questions.service.stories_of, ()
    )
