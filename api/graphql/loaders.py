"""Data loaders of one request: a field that is selected on a hundred items costs one statement."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from strawberry.dataloader import DataLoader

from prefrontal.graph.ids import kind_of
from prefrontal.graph.storage.paging import Page

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.access.record import KnownActor, Space
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.caller import Caller, SpacePermission
    from prefrontal.graph.context.record import Receipt, ReceiptItem
    from prefrontal.graph.cortex.actions.record import PendingAction
    from prefrontal.graph.cortex.actions.usage import TypeUsage
    from prefrontal.graph.cortex.goals.record import Evidence, Goal, GoalShare, SupportedGoal
    from prefrontal.graph.cortex.questions.record import Question, Story
    from prefrontal.graph.entities.record import Entity
    from prefrontal.graph.journal.record import TraceEntry
    from prefrontal.graph.lessons.outcome_record import Outcome
    from prefrontal.graph.lessons.record import Lesson
    from prefrontal.graph.memory.record import Memory
    from prefrontal.graph.registry.overrides.record import ActionTypeOverride
    from prefrontal.graph.registry.proposals.record import AwaitedType, RegistryProposal
    from prefrontal.graph.scratch.record import Conflict, Observation
    from prefrontal.graph.sessions.record import Session
    from prefrontal.graph.storage.related import PageOf, RelatedReader
    from prefrontal.graph.summaries.record import Summary
    from prefrontal.graph.tools.record import Invocation
    from prefrontal.graph.turns.commit_record import StoredExport
    from prefrontal.graph.turns.record import Neighbours, Turn

K = TypeVar("K")
V = TypeVar("V")
_NOTHING: Page[Any] = Page(items=(), cursors=(), has_next=False)
Fetch = Callable[["Caller", Sequence[str]], Awaitable[dict[str, Any]]]


class SharedLoader(DataLoader[K, V]):
    """A data loader whose results are shared by fields that may be cancelled one by one.

    When a field fails, the executor cancels the fields beside it. Two fields that wait for the same record
    wait for the same future: without the shield, the end of one field would end the other one too.
    """

    def load(self, key: K) -> Awaitable[V]:
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
        made = self._make(loaders)
        # An instance attribute takes precedence over this descriptor on the next access.
        loaders.__dict__[self._name] = made
        return made

    def _make(self, loaders: Loaders) -> DataLoader[str, V]:
        fetch, default = self._fetch(loaders.services), self._default

        async def load(keys: list[str]) -> list[V]:
            caller = await loaders.caller()
            # A text that is not an id finds nothing, and may not even be valid Unicode.
            ids = [key for key in keys if kind_of(key) is not None]
            found = await fetch(caller, ids) if ids else {}
            return [found.get(key, default) for key in keys]

        return SharedLoader(load_fn=load, max_batch_size=1000)


class Pages(Generic[V]):
    """Loads pages of a list for many nodes, and the lengths of the lists: one statement for each."""

    def __init__(self, loaders: Loaders, reader: RelatedReader[Caller, V]) -> None:
        """Create the loaders of pages and lengths; `reader` reads them."""
        self._page_of = reader.page_of

        async def pages(wanted: list[PageOf]) -> list[Page[V]]:
            known = [page for page in wanted if kind_of(page.uid) is not None]
            found = await reader.pages(await loaders.caller(), known) if known else {}
            return [found.get(page, _NOTHING) for page in wanted]

        async def counts(uids: list[str]) -> list[int]:
            known = [uid for uid in uids if kind_of(uid) is not None]
            found = await reader.counts(await loaders.caller(), known) if known else {}
            return [found.get(uid, 0) for uid in uids]

        self._pages: DataLoader[PageOf, Page[V]] = SharedLoader(load_fn=pages, max_batch_size=1000)
        self._counts: DataLoader[str, int] = SharedLoader(load_fn=counts, max_batch_size=1000)

    def page(self, uid: str, first: int | None, after: str | None) -> Awaitable[Page[V]]:
        """Return a page of the list of a node, once it is there.

        Raises:
            InvalidInput: If the page size is out of range, or the cursor is not one of this list.
        """
        return self._pages.load(self._page_of(uid, first, after))

    def prime(self, uid: str, page: Page[V]) -> None:
        """Take over the first page of the list of a node, of the default size, from who has read it."""
        self._pages.prime(self._page_of(uid, None, None), page, force=True)

    def counted(self, uid: str) -> Callable[[], Awaitable[int]]:
        """Return the function that returns the length of the list of a node."""
        return partial(self._counts.load, uid)


class _Pages(Generic[V]):
    """Creates the loaders of a list on first use."""

    def __init__(self, reader: Callable[[Services], RelatedReader[Caller, V]]) -> None:
        self._reader = reader
        self._name = ""

    def __set_name__(self, _: type, name: str) -> None:
        self._name = name

    def __get__(self, loaders: Loaders, _: type) -> Pages[V]:
        made = loaders.__dict__[self._name] = Pages(loaders, self._reader(loaders.services))
        return made


def forget(loader: DataLoader[str, Any], key: str) -> None:
    """Remove a key from a loader's cache, after a mutation of the same request changed the record."""
    with suppress(KeyError):
        loader.clear(key)


class Loaders:
    """The data loaders of one request, one for each lookup by id; results keep the order of keys."""

    def __init__(self, services: Services, caller: Callable[[], Awaitable[Caller]]) -> None:
        self.services = services
        self.caller = caller

    actors: _Loader[KnownActor | None] = _Loader(lambda services: services.access.actors)
    spaces: _Loader[Space | None] = _Loader(lambda services: services.access.spaces)
    observations: _Loader[Observation | None] = _Loader(lambda services: services.scratch.service.get)
    linked_goals: _Loader[tuple[str, ...]] = _Loader(
        lambda services: services.scratch.service.linked_goals, ()
    )
    conflicts: _Pages[Conflict] = _Pages(lambda services: services.scratch.service.conflicts)
    goals: _Loader[Goal | None] = _Loader(lambda services: services.goals.service.get)
    parents: _Loader[Goal | None] = _Loader(lambda services: services.goals.service.parents_of)
    children: _Pages[Goal] = _Pages(lambda services: services.goals.service.children)
    predecessors: _Pages[Goal] = _Pages(lambda services: services.goals.service.predecessors)
    origins: _Pages[Goal] = _Pages(lambda services: services.goals.service.origins)
    evidence: _Pages[Evidence] = _Pages(lambda services: services.goals.service.evidence)
    supported: _Pages[SupportedGoal] = _Pages(lambda services: services.goals.service.supported)
    evidence_counts: _Loader[int] = _Loader(lambda services: services.goals.sharing.count_evidence, 0)
    goal_permissions: _Loader[SpacePermission | None] = _Loader(
        lambda services: services.goals.sharing.permissions
    )
    goal_shares: _Loader[tuple[GoalShare, ...] | None] = _Loader(
        lambda services: services.goals.sharing.shared_with
    )
    goal_actions: _Pages[PendingAction] = _Pages(lambda services: services.actions.service.by_goal)
    goal_blockers: _Pages[PendingAction] = _Pages(lambda services: services.actions.service.blockers)

    @cached_property
    def type_usage(self) -> DataLoader[tuple[str, datetime | None], TypeUsage]:
        """What became of the actions of a type that were created since a time, or ever."""

        async def load(keys: list[tuple[str, datetime | None]]) -> list[TypeUsage]:
            caller, service = await self.caller(), self.services.actions.service
            found = {
                since: await service.usage(caller, [name for name, other in keys if other == since], since)
                for since in {since for _, since in keys}
            }
            return [found[since][name] for name, since in keys]

        return SharedLoader(load_fn=load, max_batch_size=1000)

    actions: _Loader[PendingAction | None] = _Loader(lambda services: services.actions.service.get)
    overrides: _Loader[ActionTypeOverride | None] = _Loader(lambda services: services.registry.overrides.get)
    proposals: _Loader[RegistryProposal | None] = _Loader(
        lambda services: services.registry.proposals.service.get
    )
    awaited: _Loader[AwaitedType | None] = _Loader(
        lambda services: services.registry.proposals.service.awaited_types
    )
    sessions: _Loader[Session | None] = _Loader(lambda services: services.sessions.get)
    sessions_of_turns: _Loader[Session | None] = _Loader(lambda services: services.sessions.of_turns)
    session_turns: _Pages[Turn] = _Pages(lambda services: services.turns.trace.of_sessions)
    memories: _Loader[Memory | None] = _Loader(lambda services: services.memory.get)
    turns_of: _Loader[Turn | None] = _Loader(lambda services: services.turns.trace.of)
    receipts: _Pages[Receipt] = _Pages(lambda services: services.context.receipts)
    seen: _Pages[ReceiptItem] = _Pages(lambda services: services.turns.trace.seen)
    trace: _Pages[TraceEntry] = _Pages(lambda services: services.turns.trace.entries)
    state_exports: _Loader[StoredExport | None] = _Loader(lambda services: services.turns.trace.exports)
    turn_exports: _Pages[StoredExport] = _Pages(lambda services: services.turns.trace.exports_of_turns)
    neighbours: _Loader[Neighbours | None] = _Loader(lambda services: services.turns.trace.neighbours)
    outcome_lessons: _Pages[Lesson] = _Pages(lambda services: services.lessons.of_outcomes)
    lesson_outcomes: _Pages[Outcome] = _Pages(lambda services: services.outcomes.of_lessons)
    lessons: _Loader[Lesson | None] = _Loader(lambda services: services.lessons.get)
    outcomes: _Loader[Outcome | None] = _Loader(lambda services: services.outcomes.get)
    turn_outcomes: _Pages[Outcome] = _Pages(lambda services: services.outcomes.of_turns)
    tool_invocations: _Loader[Invocation | None] = _Loader(lambda services: services.tools.get)
    tool_results: _Loader[Any] = _Loader(lambda services: services.tools.results)
    invocations: _Pages[Invocation] = _Pages(lambda services: services.tools.of_turns)
    invocations_of_observations: _Pages[Invocation] = _Pages(lambda services: services.tools.of_observations)
    observations_of_invocations: _Pages[Observation] = _Pages(lambda services: services.tools.observations)
    turns: _Loader[Turn | None] = _Loader(lambda services: services.turns.trace.get_by_ids)
    entities: _Loader[Entity | None] = _Loader(lambda services: services.entities.get)
    mentioning: _Pages[Observation] = _Pages(lambda services: services.scratch.service.of_entities)
    remembering: _Pages[Memory] = _Pages(lambda services: services.memory.of_entities)
    mention_counts: _Loader[int] = _Loader(lambda services: services.entities.count_mentions, 0)
    questions: _Loader[Question | None] = _Loader(lambda services: services.questions.service.get)
    stories: _Loader[Story | None] = _Loader(lambda services: services.questions.service.get_stories)
    goal_questions: _Pages[Question] = _Pages(lambda services: services.questions.service.of_goals)
    goal_answers: _Pages[Question] = _Pages(lambda services: services.questions.service.answered_of_goals)
    goal_summaries: _Pages[Summary] = _Pages(lambda services: services.summaries.of_goals)
    question_stories: _Pages[Story] = _Pages(lambda services: services.questions.service.of_questions)
