"""Use cases that create and read goals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from prefrontal.graph.caller import Permission, require, require_reader, target_space
from prefrontal.graph.cortex.endings import require_not_ended
from prefrontal.graph.cortex.goals import evidence_store, locks, store, tree_store
from prefrontal.graph.cortex.goals.events import blocked_traces, conflict_traces
from prefrontal.graph.cortex.goals.mandates import (
    confirmable,
    has_other_texts,
    is_active,
    judged,
    plan_of,
    plan_with,
    reason_of,
)
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    Goal,
    GoalDraft,
    GoalFilter,
    GoalOrder,
    GoalOrigin,
    GoalStatus,
    KnownGoal,
    Lineage,
    LineageBounds,
)
from prefrontal.graph.cortex.goals.topics import topics_of_evidence
from prefrontal.graph.cortex.goals.validation import (
    creation_message,
    draft_problems,
    goal_of,
)
from prefrontal.graph.cortex.mandates.rules import prohibited
from prefrontal.graph.cortex.priorities import priority_of, priority_problems
from prefrontal.graph.errors import Forbidden, InvalidInput, NotFound
from prefrontal.graph.ids import Kind, floor_id, kind_of, new_id
from prefrontal.graph.journal.command import limit_problems, paths_of
from prefrontal.graph.journal.record import Change, Event, EventType, Trace, TraceKind, merged
from prefrontal.graph.registry.overrides.record import TypeWarning
from prefrontal.graph.storage.paging import (
    LATEST,
    Page,
    checked_first,
    decode_cursor,
    page_of,
    time_cursor,
    time_part,
)
from prefrontal.graph.storage.related import RelatedReader
from prefrontal.graph.validation import join_path as at_path
from prefrontal.graph.validation import raise_all, require_zone

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.cortex.actions.record import PendingAction
    from prefrontal.graph.cortex.actions.service import ActionService
    from prefrontal.graph.cortex.mandates.service import MandateService
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.memory.record import Mandate
    from prefrontal.graph.scratch.service import ScratchService
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_FIRST = (LATEST, "goal_~")
"""A position before every goal in each order: the first page starts here."""


def _start(after: str | None, order: GoalOrder) -> tuple[int, str]:
    """Return the position after which a page starts: the place in the order, and the id."""
    if after is None:
        return _FIRST
    if order is GoalOrder.PRIORITY:
        place, uid = decode_cursor(after, int, str)
        return int(place), str(uid)
    return time_cursor(after, order.value)


def _key(goal: Goal, order: GoalOrder) -> tuple[str | int, ...]:
    """Return the sort key that the cursor of a goal contains."""
    if order is GoalOrder.PRIORITY:
        return goal.priority_rank, goal.uid
    return order.value, time_part(goal.updated_at) if order is GoalOrder.UPDATED_AT else 0, goal.uid


class GoalService:
    """Creates goals from evidence, and reads goals with their evidence and lineage."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        catalog: Catalog,
        changes: ChangeWriter,
        scratch: ScratchService,
        actions: ActionService,
        mandates: MandateService,
    ) -> None:
        """Store the database, the clock, the tables, the change writer, and the services below.

        `children`, `predecessors` and `origins` are lists of goals that belong to a goal; `evidence` is the
        list of a goal's observations, `supported` the list of an observation's goals.
        """
        self._database = database
        self._clock = clock
        self._catalog = catalog
        self._changes = changes
        self._scratch = scratch
        self._actions = actions
        self._mandates = mandates
        self.children = RelatedReader(database, clock, tree_store.children, require_reader)
        self.predecessors = RelatedReader(database, clock, tree_store.predecessors, require_reader)
        self.origins = RelatedReader(database, clock, tree_store.origins, require_reader)
        self.evidence = RelatedReader(database, clock, evidence_store.evidence, require_reader)
        self.supported = RelatedReader(database, clock, evidence_store.supported, require_reader)

    async def create(
        self, caller: Caller, command: CreateGoal, warnings: list[TypeWarning] | None = None
    ) -> Goal:
        """Create a goal with its evidence, lineage and pending actions in one transaction; return the goal.

        What the deprecated types of its actions did is added to `warnings`.

        The evidence is locked and read again inside the transaction, so that no goal is created from an
        observation that expires meanwhile.

        Raises:
            InvalidInput: If the command is invalid; all problems are in `problems`.
            NotFound: If a parent, predecessor or observation is unknown or not readable.
            Expired: If an observation of the evidence has expired.
            IllegalTransition: If the parent has ended.
            OwnerViolation: If an agent would create an action that is weaker than its type says.
        """
        require(caller, Permission.WRITE)
        raise_all(self.problems(caller, command, in_turn=command.turn_id is not None))
        scope_id = target_space(caller, command.space)

        async def work(tx: Tx, now: datetime) -> Change:
            place = scope_id
            if command.space is None:
                place = await locks.space_beside(tx, caller, command.parent_goal_id, scope_id)
            return await self.create_in(tx, caller, command, place, command.turn_id, now)

        result = await self._changes.run(caller, command, work, checked=True)
        if warnings is not None:
            warnings += [TypeWarning.model_validate(each) for each in result.get("warnings", ())]
        found = (await self.get(caller, [result["uid"]])).get(result["uid"])
        if found is None:
            raise NotFound("the goal was created, but you may no longer read it", field="space")
        return found

    def problems(
        self, caller: Caller, draft: GoalDraft, path: str = "", *, in_turn: bool = False
    ) -> list[InvalidInput]:
        """Return everything that is wrong with a draft, each field under `path`; creates nothing."""
        table = self._catalog.goals
        problems = draft_problems(draft, self._catalog.limits, table)
        problems += self._actions.problems(caller, draft.pending_actions, "pendingActions", in_turn=in_turn)
        for number, action in enumerate(draft.pending_actions):
            problems += priority_problems(action.priority, table, f"pendingActions[{number}].priority")
        for problem in problems:
            problem.field = at_path(path, problem.field or "")
        return problems

    async def create_in(
        self,
        tx: Tx,
        caller: Caller,
        draft: GoalDraft,
        scope_id: str,
        turn_id: str | None,
        now: datetime,
        origin: GoalOrigin = GoalOrigin.REQUEST,
        client_key: str | None = None,
        mandates: Sequence[Mandate] | None = None,
    ) -> Change:
        """Create a goal from a validated draft inside a transaction; return the journal.

        A goal that violates a mandate is blocked. `mandates` are those that bind it, as `binding` returns
        them; without them they are read.

        Raises:
            NotFound: If a parent, predecessor or observation is unknown or not readable.
            Expired: If an observation of the evidence has expired.
            InvalidInput: If the tree would become too deep.
            Forbidden: If the space is not writable.
            IllegalTransition: If the parent has ended.
        """
        if draft.parent_goal_id is not None:
            await locks.lock_ancestors(
                tx, caller, draft.parent_goal_id, now, self._catalog.goals.lineage.max_tree_depth
            )
        observed = await self._scratch.lock_evidence(
            tx,
            caller,
            [item.observation_id for item in draft.evidence],
            now,
            fields=[at_path(path, "observationId") for path in paths_of("evidence", draft.evidence)],
        )
        goal = goal_of(
            draft,
            uid=new_id(Kind.GOAL, now),
            scope_id=scope_id,
            org_id=caller.org_id,
            agent_id=caller.agent_id,
            by_uid=caller.actor_id,
            now=now,
            table=self._catalog.goals,
            origin=origin,
            client_key=client_key,
        )
        if mandates is None:
            mandates = await self.binding(tx, caller, scope_id)
        violations = self._mandates.check(mandates, plan_of(goal, draft.pending_actions))
        goal = judged(goal, violations, self._catalog.goals)
        evidence: list[dict[str, Any]] = [
            {
                "observation_id": item.observation_id,
                "confidence": observed[item.observation_id].confidence
                if item.confidence is None
                else item.confidence,
                "note": item.note,
            }
            for item in draft.evidence
        ]
        linked = await store.create(
            tx,
            caller,
            goal,
            parent_id=draft.parent_goal_id,
            derived_from=draft.derived_from,
            evidence=evidence,
            evidence_topics=topics_of_evidence(observed.values(), scope_id, self._catalog.goals.topics),
            table=self._catalog.goals.topics,
            turn_id=turn_id,
        )
        if linked is None:
            if scope_id not in caller.writable:
                raise Forbidden("you may read this goal but not add to it", field="parentGoalId")
            raise Forbidden("you may not write to this space any more", field="space")
        # A node that was not linked is unknown or not readable; the exception rolls back the whole
        # transaction.
        if draft.parent_goal_id is not None and not linked["parents"]:
            if await store.find(tx, caller, [draft.parent_goal_id]):
                raise Forbidden("you may read this goal but not add to it", field="parentGoalId")
            raise NotFound("no such goal", field="parentGoalId")
        for status in linked["parents"]:
            require_not_ended(status, self._catalog.goals, "parentGoalId")
        for number, uid in enumerate(draft.derived_from):
            if uid not in linked["sources"]:
                raise NotFound("no such goal", field=f"derivedFrom[{number}]")
        table = self._catalog.goals
        default = (table.default_priority, table.priorities[table.default_priority])
        actions, warnings, made = await self._actions.create_in(
            tx,
            caller,
            confirmable(draft.pending_actions, violations),
            goal_id=goal.uid,
            scope_id=scope_id,
            turn_id=turn_id,
            priorities=[priority_of(action.priority, table) or default for action in draft.pending_actions],
            now=now,
        )
        change = _journal(goal, [item["observation_id"] for item in evidence], actions, turn_id)
        conflicts = [(item["observation_id"], item["other_id"]) for item in linked["conflicts"]]
        traces = (
            *blocked_traces(goal, table.initial_status, turn_id),
            *conflict_traces(goal, conflicts, turn_id),
        )
        change = change.model_copy(update={"traces": (*change.traces, *traces)})
        said = {"warnings": [each.model_dump(mode="json") for each in warnings]} if warnings else {}
        return merged([change, made], change.result | said)

    async def binding(self, tx: Tx, caller: Caller, scope_id: str) -> Sequence[Mandate]:
        """Return the mandates that bind a goal that the caller creates in a space."""
        return await self._mandates.binding(tx, caller, scope_id)

    async def judge_texts(
        self,
        tx: Tx,
        caller: Caller,
        changed: Sequence[tuple[Goal, Goal, dict[str, Any]]],
    ) -> list[tuple[Goal, Goal, dict[str, Any]]]:
        """Return changes of goals; an active goal whose new texts violate a mandate is blocked."""
        judged_ones = []
        bound: dict[str, Sequence[Mandate]] = {}
        for before, after, links in changed:
            now = after
            if has_other_texts(before, after) and is_active(after, self._catalog.goals):
                if after.scope_id not in bound:
                    bound[after.scope_id] = await self.binding(tx, caller, after.scope_id)
                violations = self._mandates.check(bound[after.scope_id], plan_of(after))
                now = judged(after, violations, self._catalog.goals)
            judged_ones.append((before, now, links))
        return judged_ones

    async def obstacle(self, tx: Tx, caller: Caller, goal: Goal) -> str | None:
        """Return why a stored goal may not go on because of a mandate, or None.

        Its texts and its open actions are checked. A mandate that blocks it and that the caller may not read
        counts as long as it is active, so that what it says cannot be found out by trying.
        """
        mandates = await self.binding(tx, caller, goal.scope_id)
        actions = await self._actions.open_in(tx, caller, [goal.uid])
        forbidden = prohibited(self._mandates.check(mandates, plan_with(goal, actions)))
        if forbidden:
            return reason_of(forbidden)
        known = {mandate.uid for mandate in mandates}
        hidden = await self._mandates.live(tx, caller, sorted(set(goal.violates) - known))
        if hidden:
            return (
                f"violates the mandate {hidden[0]}, which does not bind you; whom it binds can let it go on"
            )
        return None

    async def known_in(
        self,
        tx: Tx,
        caller: Caller,
        topics: Iterable[tuple[str, str]],
        types: Iterable[tuple[str, str]],
        uids: Sequence[str],
    ) -> tuple[list[KnownGoal], list[KnownGoal]]:
        """Return the active goals about some topics or of some types, and the readable goals among some ids.

        Topics and types are pairs of a space's id and a key. Of the goals of a type, the oldest active one is
        returned. A goal comes with those of the topics that it has; the goals by id come without topics.
        """
        return await evidence_store.list_related(tx, caller, topics, types, uids, self._catalog.goals)

    async def find_in(self, tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, Goal]:
        """Return the readable goals among some ids inside a transaction, by id; other ids are left out."""
        return await store.find(tx, caller, uids)

    async def get(self, caller: Caller, uids: Sequence[str]) -> dict[str, Goal]:
        """Return the readable goals among some ids, by id; other ids are left out."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, Goal]:
            return await self.find_in(tx, caller, uids)

        return await self._database.read(work)

    async def changed_goals(
        self, caller: Caller, uids: Sequence[str], paths: Sequence[str]
    ) -> tuple[Goal, ...]:
        """Return goals that a use case has changed; raises `NotFound` if the caller may no longer read one.

        Each id comes with the path of its entry in the input.
        """
        return await locks.changed_goals(self._database, caller, uids, paths)

    async def list(
        self,
        caller: Caller,
        wanted: GoalFilter | None = None,
        order: GoalOrder = GoalOrder.PRIORITY,
        *,
        first: int | None = None,
        after: str | None = None,
    ) -> Page[Goal]:
        """Return a page of the goals that match a filter; without statuses, of the active ones.

        Raises:
            InvalidInput: If the filter or the page size is invalid, or the cursor is not one of this order.
        """
        require(caller, Permission.READ)
        limit = checked_first(first)
        before = _start(after, order)
        found_by, statuses = self._checked(wanted)

        async def work(tx: Tx) -> list[Goal]:
            return await store.list_page(
                tx, caller, found_by, statuses, order, before=before, limit=limit + 1
            )

        found = await self._database.read(work)
        return page_of(found, limit, lambda goal: _key(goal, order))

    async def own(self, caller: Caller, first: int) -> Sequence[Goal]:
        """Return up to `first` active goals of the caller, most urgent first.

        They are those for its agent or its person, and those that one of its actors created.
        """
        require(caller, Permission.READ)

        async def work(tx: Tx) -> Sequence[Goal]:
            return await store.list_own(tx, caller, self._active, first)

        return await self._database.read(work)

    async def count(self, caller: Caller, wanted: GoalFilter | None = None) -> int:
        """Return the number of matching goals on all pages."""
        require(caller, Permission.READ)
        found_by, statuses = self._checked(wanted)

        async def work(tx: Tx) -> int:
            return await store.count(tx, caller, found_by, statuses)

        return await self._database.read(work)

    @property
    def _active(self) -> Sequence[GoalStatus]:
        return [GoalStatus(name) for name in self._catalog.goals.active_statuses]

    def _checked(self, wanted: GoalFilter | None) -> tuple[GoalFilter, Sequence[GoalStatus]]:
        """Return a valid filter and its statuses."""
        found_by = wanted or GoalFilter()
        problems = limit_problems(found_by, self._catalog.limits, "filter")
        if found_by.status is None:
            statuses = self._active
        else:
            statuses = sorted(set(found_by.status))
            if not statuses:
                problems.append(InvalidInput("name at least one status", field="filter.status"))
        raise_all(problems)
        return found_by, statuses

    async def parents_of(self, caller: Caller, uids: Sequence[str]) -> dict[str, Goal]:
        """Return the readable parent of each goal that has one, by the id of the child."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, Goal]:
            return await tree_store.parents_of(tx, caller, uids)

        return await self._database.read(work)

    async def lineage(
        self, caller: Caller, uid: str, depth: int | None = None, at: datetime | None = None
    ) -> Lineage:
        """Return why a goal exists and what is linked to it, as nodes and edges.

        Args:
            caller: The caller; nodes that the caller may not read are left out, with everything behind them.
            uid: The goal.
            depth: How many edges to follow, 1 to 20; 5 if omitted.
            at: The time of which links and values are returned; now if omitted.

        Raises:
            NotFound: If the goal is unknown or not readable, or did not exist at that time.
            InvalidInput: If the depth is out of range, or the time has no time zone.
        """
        require(caller, Permission.READ)
        table = self._catalog.goals.lineage
        steps = table.default_depth if depth is None else depth
        if not 1 <= steps <= table.max_depth:
            raise InvalidInput(f"between 1 and {table.max_depth}, not {steps}", field="depth")

        if kind_of(uid) is not Kind.GOAL:
            raise NotFound("no such goal", field="id")

        if at is not None:
            require_zone(at, "at")

        kept = self._catalog.retention.invocation_days
        bounds = LineageBounds(
            depth=steps,
            most=table.max_nodes,
            latest=table.latest_per_goal,
            oldest=floor_id(Kind.TOOL_INVOCATION, self._clock.now() - timedelta(days=kept)),
        )

        async def work(tx: Tx) -> Lineage | None:
            if at is not None:
                return await tree_store.trace_lineage_as_of(tx, caller, uid, at, bounds)
            return await tree_store.trace_lineage(tx, caller, uid, bounds)

        found = await self._database.read(work)
        if found is None:
            raise NotFound("no such goal", field="id")
        return found


def _journal(
    goal: Goal, evidence: Sequence[str], actions: Sequence[PendingAction], turn_id: str | None
) -> Change:
    created = Trace(
        kind=TraceKind.GOAL_CREATED,
        message=creation_message(len(evidence)),
        ids=(goal.uid, *evidence),
        details={"observations": len(evidence), "actions": len(actions)},
        turn=turn_id,
        scope_id=goal.scope_id,
    )
    event = Event(
        type=EventType.GOAL_CREATED,
        aggregate=goal.uid,
        aggregate_version=goal.version,
        scope_id=goal.scope_id,
        data={"goal_id": goal.uid, "status": goal.status.value, "observation_ids": list(evidence)},
        turn=turn_id,
    )
    return Change(
        result={"uid": goal.uid, "actions": [action.uid for action in actions]},
        traces=(created,),
        events=(event,),
        turns=(turn_id,) if turn_id else (),
    )
