"""Who may do what: every role with every operation, and nothing written where it is refused.

A role has a permission on the space that everything is in, on the goal above every goal there by a share,
both or neither, and a token that may write or not. An operation says which permission of the space it needs,
and which of a share will do, if any. The table of the two is the test: what is refused is told as `not_found`
to who cannot read the target, and as `forbidden` to who can, and then the whole organisation is as it was.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph.access.record import ActorKind, Caller, Principal, SpacePermission
from graph.bootstrap import build_services
from graph.cortex.actions.record import (
    ActionFilter,
    ActionUpsert,
    PendingActionChanges,
    PendingActionDraft,
)
from graph.cortex.goals.record import EvidenceDraft, GoalChanges, GoalDraft, GoalStatus, ProgressDelta
from graph.cortex.questions.record import Named, PairDraft, QuestionChanges, QuestionFilter, StoryChanges
from graph.errors import PrefrontalError
from graph.history.record import AuditFilter
from graph.ids import Kind, new_id
from graph.journal.record import EventType
from graph.scratch import lifecycle
from graph.scratch.record import ObservationChanges, ObservationDraft, ObservationFilter
from graph.settings import Settings
from tests.support.clock import FixedClock
from tests.support.statements import StatementCounter
from tests.support.world import World

READ, WRITE, ADMIN = SpacePermission.READ, SpacePermission.WRITE, SpacePermission.ADMIN
RANK = {None: 0, READ: 1, WRITE: 2, ADMIN: 3}


@dataclass(frozen=True)
class Role:
    """Who asks: the permission on the space, on the goal above, and whether the token only reads."""

    name: str
    space: SpacePermission | None = None
    share: SpacePermission | None = None
    reader: bool = False
    person: bool = False
    foreign: bool = False


ROLES = [
    Role("owner", space=ADMIN),
    Role("read-only-token-of-the-owner", space=ADMIN, reader=True),
    Role("space-read", space=READ),
    Role("space-write", space=WRITE),
    Role("space-admin", space=ADMIN),
    Role("user-who-may-write", space=WRITE, person=True),
    Role("user-who-may-read", space=READ, person=True),
    Role("share-read", share=READ),
    Role("share-write", share=WRITE),
    Role("share-admin", share=ADMIN),
    Role("read-only-token-with-a-share", share=ADMIN, reader=True),
    Role("space-read-and-share-write", space=READ, share=WRITE),
    Role("stranger"),
    Role("other-organisation", foreign=True),
]


@dataclass
class Stage:
    """What the operations are tried on, and who tries them."""

    world: World
    space: str
    top: str
    callers: dict[str, Caller]
    seen: Target = field(init=False)

    @property
    def services(self) -> Any:
        return self.world.services

    @property
    def owner(self) -> Caller:
        return self.callers["owner"]

    async def fresh(self) -> Target:
        """One of each kind that nothing has been done with, below the shared goal."""
        goal = await self.services.goals.create(
            self.owner,
            GoalDraft(
                title="g",
                parent_goal_id=self.top,
                pending_actions=(PendingActionDraft(type="reminder", title="a"),),
            ),
            space=self.space,
        )
        (action,) = (await self.services.actions.of_goals(self.owner, [goal.uid]))[goal.uid]
        pair = await self.services.question_upserts.upsert(
            self.owner,
            PairDraft(
                question_named=Named(),
                question=QuestionChanges(text="q", goal_id=goal.uid),
                story=StoryChanges(narrative="n", acceptance_criteria=("c",)),
            ),
            space=self.space,
        )
        (seen,) = await self.services.scratch.add(
            self.owner, [ObservationDraft(content="o")], space=self.space
        )
        await self.services.goal_evidence.link(self.owner, goal.uid, EvidenceDraft(observation_id=seen.uid))
        return Target(goal.uid, action.uid, pair.question.uid, pair.story.uid, seen.uid)


@dataclass(frozen=True)
class Target:
    goal: str
    action: str
    question: str
    story: str
    observation: str


Attempt = Callable[[Stage, Caller, Target], Awaitable[Any]]


@dataclass(frozen=True)
class Operation:
    """What is tried, which permission of the space it needs, and which of a share will do.

    `beside` is a permission of the space that is needed beside the share.
    """

    name: str
    attempt: Attempt
    space: SpacePermission
    share: SpacePermission | None = None
    user: bool = False
    beside: SpacePermission | None = None
    writes: bool = False


OPERATIONS: list[Operation] = []


def operation(
    space: SpacePermission,
    share: SpacePermission | None = None,
    *,
    user: bool = False,
    beside: SpacePermission | None = None,
    writes: bool | None = None,
) -> Callable[[Attempt], Attempt]:
    def add(attempt: Attempt) -> Attempt:
        changes = space is not READ if writes is None else writes
        OPERATIONS.append(Operation(attempt.__name__, attempt, space, share, user, beside, changes))
        return attempt

    return add


@operation(READ, READ)
async def goal_read(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goals.get(caller, [target.goal])


@operation(READ, READ)
async def goal_list(stage: Stage, caller: Caller, target: Target) -> Any:
    page = await stage.services.goals.list(caller, first=100)
    return [goal for goal in page.items if goal.uid == target.goal]


@operation(READ, READ)
async def goal_lineage(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goals.lineage(caller, target.goal)


# A share is of goals; what they rest on stays where it was noted.
@operation(READ)
async def goal_evidence(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goals.evidence_of(caller, [target.goal])


@operation(READ, READ)
async def goal_history(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.history.history(caller, target.goal)).items


@operation(READ, READ)
async def goal_as_of(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.history.as_of(caller, target.goal, stage.world.clock.now())


@operation(READ, READ)
async def goal_audit(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.audit.page(caller, AuditFilter(entity_id=target.goal))).items


@operation(WRITE)
async def goal_create(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goals.create(caller, GoalDraft(title="n"), space=stage.space)


@operation(WRITE)
async def goal_create_below(stage: Stage, caller: Caller, target: Target) -> Any:
    draft = GoalDraft(title="n", parent_goal_id=target.goal)
    return await stage.services.goals.create(caller, draft, space=stage.space)


# The child is the reader's own, in the reader's own space; one who shares the goal adds to it where it is.
@operation(READ, WRITE, writes=True)
async def goal_create_below_of_ones_own(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goals.create(caller, GoalDraft(title="n", parent_goal_id=target.goal))


@operation(WRITE, WRITE)
async def goal_change(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goal_upserts.upsert(caller, GoalChanges(title="n"), uid=target.goal)


@operation(WRITE, WRITE)
async def goal_transition(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goal_moves.transition(caller, target.goal, GoalStatus.BLOCKED)


@operation(WRITE, WRITE)
async def goal_archive(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goal_moves.transition(caller, target.goal, GoalStatus.ARCHIVED)


@operation(WRITE, WRITE)
async def goal_progress(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goal_moves.update_progress(
        caller, [ProgressDelta(goal_id=target.goal, delta=0.1)]
    )


# The observation has to be readable as well.
@operation(WRITE, WRITE, beside=READ)
async def goal_link(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goal_evidence.link(
        caller, target.goal, EvidenceDraft(observation_id=target.observation)
    )


@operation(ADMIN, ADMIN)
async def goal_share(stage: Stage, caller: Caller, target: Target) -> Any:
    who = (ActorKind.AGENT, "nobody-yet")
    return await stage.services.goal_sharing.share(caller, target.goal, who, READ)


@operation(READ, READ)
async def action_read(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.actions.get(caller, [target.action])


@operation(READ, READ)
async def action_of_goal(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.actions.of_goals(caller, [target.goal])).get(target.goal)


# Lists walk the spaces that one may read; what single goals share is found at the goal.
@operation(READ)
async def action_list(stage: Stage, caller: Caller, target: Target) -> Any:
    page = await stage.services.actions.list(caller, ActionFilter(types=("reminder",)), first=100)
    return [action for action in page.items if action.uid == target.action]


@operation(READ, READ)
async def action_history(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.history.history(caller, target.action)).items


async def upsert_action(stage: Stage, caller: Caller, **entry: Any) -> Any:
    fields = entry.pop("fields", {})
    upsert = ActionUpsert(draft=PendingActionDraft(**fields), changes=PendingActionChanges(**fields), **entry)
    (done,) = await stage.services.action_upserts.upsert(caller, [upsert])
    if done.problem is not None:
        raise Refused(done.problem.code)
    return done.action


class Refused(PrefrontalError):
    """A refusal that came as the result of an entry."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code  # type: ignore[misc]


@operation(WRITE)
async def action_create(stage: Stage, caller: Caller, target: Target) -> Any:
    return await upsert_action(stage, caller, goal_id=target.goal, fields={"title": "n"})


@operation(WRITE)
async def action_change(stage: Stage, caller: Caller, target: Target) -> Any:
    return await upsert_action(stage, caller, uid=target.action, fields={"title": "n"})


@operation(WRITE)
async def action_transition(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.action_moves.transition(caller, target.action, "in_progress")


@operation(WRITE)
async def action_complete(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.action_moves.complete(caller, target.action)


@operation(WRITE, user=True)
async def action_confirm(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.action_moves.confirm(caller, target.action)


@operation(READ, READ)
async def question_read(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.questions.get(caller, [target.question])


@operation(READ)
async def question_list(stage: Stage, caller: Caller, target: Target) -> Any:
    page = await stage.services.questions.list(caller, QuestionFilter(), first=100)
    return [question for question in page.items if question.uid == target.question]


@operation(READ, READ)
async def question_of_goal(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.questions.of_goals(caller, [target.goal])).get(target.goal)


@operation(READ, READ)
async def question_list_of_goal(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.questions.list(caller, QuestionFilter(goal_id=target.goal))).items


async def upsert_pair(stage: Stage, caller: Caller, **fields: Any) -> Any:
    space = None if fields["question_named"].uid else stage.space
    return await stage.services.question_upserts.upsert(caller, PairDraft(**fields), space=space)


@operation(WRITE)
async def question_create(stage: Stage, caller: Caller, target: Target) -> Any:
    changes = QuestionChanges(text="n", goal_id=target.goal)
    return await upsert_pair(stage, caller, question_named=Named(), question=changes)


@operation(WRITE)
async def question_change(stage: Stage, caller: Caller, target: Target) -> Any:
    named = Named(uid=target.question)
    return await upsert_pair(stage, caller, question_named=named, question=QuestionChanges(text="n"))


@operation(WRITE)
async def question_archive(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.question_moves.archive_question(caller, target.question)


@operation(READ, READ)
async def story_read(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.questions.get_stories(caller, [target.story])


@operation(READ, READ)
async def story_list(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.questions.stories(caller, question_id=target.question)).items


@operation(WRITE)
async def story_change(stage: Stage, caller: Caller, target: Target) -> Any:
    return await upsert_pair(
        stage,
        caller,
        question_named=Named(uid=target.question),
        question=QuestionChanges(),
        story_named=Named(uid=target.story),
        story=StoryChanges(narrative="m"),
    )


@operation(WRITE)
async def story_archive(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.question_moves.archive_story(caller, target.story)


@operation(READ)
async def observation_read(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.scratch.get(caller, [target.observation])


@operation(READ)
async def observation_list(stage: Stage, caller: Caller, target: Target) -> Any:
    page = await stage.services.scratch.find(caller, ObservationFilter(), first=100)
    return [seen for seen in page.items if seen.uid == target.observation]


@operation(WRITE)
async def observation_create(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.scratch.add(caller, [ObservationDraft(content="n")], space=stage.space)


@operation(WRITE)
async def observation_change(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.scratch.update(caller, target.observation, ObservationChanges(content="n"))


@operation(WRITE)
async def observation_archive(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.scratch.change(
        caller,
        target.observation,
        lifecycle.archive,
        operation="archive",
        event=EventType.OBSERVATION_ARCHIVED,
    )


@operation(ADMIN)
async def space_grant(stage: Stage, caller: Caller, target: Target) -> Any:
    who = (ActorKind.AGENT, "nobody-yet")
    await stage.services.access.grant_access(caller, stage.space, who, READ)
    return True


@pytest.fixture(scope="module")
async def stage(settings: Settings, driver: AsyncDriver) -> Stage:
    """One organisation for the whole table: what is tried is made anew each time, below the shared goal."""
    clock, statements = FixedClock(), StatementCounter()
    services = build_services(settings, driver, clock=clock, observers=[statements])
    key = new_id(Kind.ORGANISATION, clock.now()).replace("_", "-").lower()
    org_id = await services.access.create_organisation(key)
    await services.access.create_organisation(f"{key}-2")
    world = World(services, clock, statements, key, org_id)
    bot = await world.caller("owner")
    await world.caller("nobody-yet")
    space = await services.access.create_space(bot, "shared")
    bot = await world.caller("owner")
    top = await services.goals.create(bot, GoalDraft(title="top"), space=space)
    callers: dict[str, Caller] = {}
    for role in ROLES:
        kind = ActorKind.PERSON if role.person else ActorKind.AGENT
        name = "owner" if role.name.endswith("the-owner") else role.name
        principal = Principal(
            org=f"{key}-2" if role.foreign else key,
            agent=None if role.person else name,
            person=name if role.person else None,
            roles=("reader",) if role.reader else ("writer",),
        )
        await services.access.caller(principal)
        if role.space is not None and name != "owner":
            await services.access.grant_access(bot, space, (kind, name), role.space)
        if role.share is not None:
            await services.goal_sharing.share(bot, top.uid, (kind, name), role.share)
        callers[role.name] = await services.access.caller(principal)
    made = Stage(world, space, top.uid, callers)
    made.seen = await made.fresh()
    return made


async def dump(world: World) -> tuple[list[Any], list[Any]]:
    """Everything in the organisation, each property of each node and edge."""
    nodes = await world.rows(
        "MATCH (n {org_id: $org}) WITH elementId(n) AS id, labels(n) AS labels, properties(n) AS has "
        "ORDER BY id RETURN collect({id: id, labels: labels, has: has}) AS all"
    )
    edges = await world.rows(
        "MATCH (n {org_id: $org})-[r]->() WITH elementId(r) AS id, type(r) AS type, properties(r) AS has "
        "ORDER BY id RETURN collect({id: id, type: type, has: has}) AS all"
    )
    return nodes[0]["all"], edges[0]["all"]


def expected(role: Role, wanted: Operation) -> set[str]:
    """The codes one of which is told; none when it is allowed."""
    if role.reader and wanted.writes:
        return {"forbidden"}
    by_space = RANK[role.space] >= RANK[wanted.space]
    by_share = wanted.share is not None and RANK[role.share] >= RANK[wanted.share]
    by_share &= RANK[role.space] >= RANK[wanted.beside]
    if by_space or by_share:
        return {"owner_violation"} if wanted.user and not role.person else set()
    if role.space is not None:
        return {"forbidden"}
    # What a share shows is refused as readable, what it does not show as unknown.
    return {"forbidden", "not_found"} if role.share is not None else {"not_found"}


@pytest.mark.covers("SEC-11", "SEC-12", "SEC-14")
@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
async def test_a_role_may_do_what_the_table_says_and_what_is_refused_writes_nothing(
    stage: Stage, role: Role
) -> None:
    caller, wrong = stage.callers[role.name], []
    # The newest one: lists have pages.
    shown = await stage.fresh()
    before = await dump(stage.world)
    for wanted in OPERATIONS:
        codes = expected(role, wanted)
        if codes and (said := await told(wanted, stage, caller, shown)) not in codes | nothing(wanted):
            wrong.append((wanted.name, said, codes))
    assert wrong == []
    # Compared as a whole; what differs tells by its label and time which operation wrote it.
    assert await dump(stage.world) == before

    for wanted in OPERATIONS:
        if not expected(role, wanted):
            target = await stage.fresh() if wanted.writes else shown
            assert await wanted.attempt(stage, caller, target), wanted.name


async def told(wanted: Operation, stage: Stage, caller: Caller, target: Target) -> str:
    """The code of what is told, or whether something was found."""
    try:
        found = await wanted.attempt(stage, caller, target)
    except PrefrontalError as error:
        return error.code
    return "done" if found else "nothing"


def nothing(wanted: Operation) -> set[str]:
    """A read finds nothing, as with an id that there is not."""
    return set() if wanted.writes else {"nothing"}


async def test_what_is_foreign_is_refused_like_what_is_not_there(stage: Stage) -> None:
    gone = Target(
        *(f"{prefix}_01JBXM3Z8K0QF3W4T9V2C7H5RD" for prefix in ("goal", "act", "qst", "story", "obs"))
    )
    by_space = {"goal_create", "observation_create", "space_grant"}
    for wanted in OPERATIONS:
        if wanted.name in by_space:
            continue
        said = [await told(wanted, stage, stage.callers["stranger"], target) for target in (stage.seen, gone)]
        assert said[0] == said[1], wanted.name


def test_every_role_is_refused_something_and_every_operation_refuses_somebody() -> None:
    for role in ROLES:
        assert [wanted.name for wanted in OPERATIONS if not expected(role, wanted)] or role.space is None
    for wanted in OPERATIONS:
        assert [role.name for role in ROLES if expected(role, wanted)]
        assert [role.name for role in ROLES if not expected(role, wanted)]
