"""Who asks, what they try it on, and the table of what each may do.

A role has a permission on the space that everything is in, on the goal above every goal there by a share,
both or neither, and a token that may write or not. An operation says which permission of the space it needs,
and which of a share will do, if any.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from neo4j import AsyncDriver

from prefrontal.graph.access.record import CreateSpace, GrantAccess
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.caller import Actor, ActorKind, Caller, Principal, SpacePermission
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.cortex.actions.record import (
    PendingActionDraft,
    PendingActionUpsert,
    UpsertPendingActions,
)
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    LinkObservation,
    ShareGoal,
    UpsertGoal,
)
from prefrontal.graph.cortex.questions.record import (
    QuestionDraft,
    StoryDraft,
    UpsertQuestionStory,
)
from prefrontal.graph.errors import PrefrontalError
from prefrontal.graph.history.record import Revert
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.scratch.record import ObservationDraft
from tests.support.clock import FixedClock
from tests.support.statements import StatementCounter
from tests.support.thinned import first_by_day
from tests.support.world import World, forget

READ, WRITE, ADMIN = SpacePermission.READ, SpacePermission.WRITE, SpacePermission.ADMIN
NOBODY = (ActorKind.AGENT, "nobody-yet")
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
    Role("user-who-may-read", space=READ, person=True),
    Role("share-read", share=READ),
    Role("share-write", share=WRITE),
    Role("stranger"),
    Role("other-organisation", foreign=True),
    Role("space-admin", space=ADMIN),
    Role("user-who-may-write", space=WRITE, person=True),
    Role("share-admin", share=ADMIN),
    Role("user-with-a-share", share=WRITE, person=True),
    Role("read-only-token-with-a-share", share=ADMIN, reader=True),
    Role("space-read-and-share-write", space=READ, share=WRITE),
]


def each_role(roles: list[Role]) -> pytest.MarkDecorator:
    """One test for each role: with each change for the nine from the owner to the other organisation."""
    given = first_by_day(roles, "a role that may as much as another", by_day=len(set(roles) & set(ROLES[:9])))
    return pytest.mark.parametrize("role", given, ids=lambda role: role.name)


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
        goal = await self.services.goals.service.create(
            self.owner,
            CreateGoal(
                title="g",
                parent_goal_id=self.top,
                pending_actions=(PendingActionDraft(type="reminder", title="a"),),
                space=self.space,
            ),
        )
        (action,) = (await self.services.actions.service.of_goals(self.owner, [goal.uid]))[goal.uid]
        pair = await self.services.questions.upsert.upsert(
            self.owner,
            UpsertQuestionStory(
                question=QuestionDraft(text="q", goal_id=goal.uid),
                story=StoryDraft(narrative="n", acceptance_criteria=("c",)),
                space=self.space,
            ),
        )
        (seen,) = await self.services.scratch.service.add(
            self.owner, [ObservationDraft(content="o")], space=self.space
        )
        await self.services.goals.evidence.link(
            self.owner, LinkObservation(goal_id=goal.uid, observation_id=seen.uid)
        )
        return Target(goal.uid, action.uid, pair.question.uid, pair.story.uid, seen.uid)

    async def revised(self) -> Target:
        """The same with a second version of each, and the goal shared with somebody."""
        target, owner = await self.fresh(), self.owner
        await self.services.goals.upsert.upsert(owner, UpsertGoal(title="h", id=target.goal))
        # Lists have pages, and begin with what is urgent.
        entry = PendingActionUpsert(id=target.action, title="b", priority="critical")
        await self.services.actions.upsert.upsert(owner, UpsertPendingActions(actions=(entry,)))
        await self.services.questions.upsert.upsert(
            owner,
            UpsertQuestionStory(
                question=QuestionDraft(id=target.question, text="r"),
                story=StoryDraft(id=target.story, narrative="m"),
            ),
        )
        await self.services.goals.sharing.share(
            owner, ShareGoal(goal_id=target.goal, actor=Actor(kind=NOBODY[0], key=NOBODY[1]), permission=READ)
        )
        return target


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

    `beside` is a permission of the space that is needed beside the share; `revised` says that the target has
    to have a second version.
    """

    name: str
    attempt: Attempt
    space: SpacePermission
    share: SpacePermission | None = None
    user: bool = False
    beside: SpacePermission | None = None
    writes: bool = False
    revised: bool = False


OPERATIONS: list[Operation] = []


def operation(
    space: SpacePermission,
    share: SpacePermission | None = None,
    *,
    user: bool = False,
    beside: SpacePermission | None = None,
    writes: bool | None = None,
    revised: bool = False,
) -> Callable[[Attempt], Attempt]:
    def add(attempt: Attempt) -> Attempt:
        changes = space is not READ if writes is None else writes
        OPERATIONS.append(Operation(attempt.__name__, attempt, space, share, user, beside, changes, revised))
        return attempt

    return add


async def taken_back(stage: Stage, caller: Caller, uid: str, number: int = 1) -> bool:
    """Whether a record got a version, the third at least, with the content of an earlier one."""
    version, _ = await stage.services.history.revert.revert(caller, Revert(id=uid, version=number))
    return version > 2


async def target_of(stage: Stage, wanted: Operation) -> Target:
    """What an operation that is allowed is done with."""
    return await (stage.revised() if wanted.revised else stage.fresh())


async def outcome_code(wanted: Operation, stage: Stage, caller: Caller, target: Target) -> str:
    """The code of what is told, or whether something was found."""
    try:
        found = await wanted.attempt(stage, caller, target)
    except PrefrontalError as error:
        return error.code
    return "done" if found else "nothing"


@pytest.fixture(scope="module")
async def stage(settings: Settings, driver: AsyncDriver) -> AsyncIterator[Stage]:
    """One organisation for the whole table: what is tried is made anew each time, below the shared goal."""
    clock, statements = FixedClock(), StatementCounter()
    services = build_services(settings, driver, clock=clock, observers=[statements])
    key = new_id(Kind.ORGANISATION, clock.now()).replace("_", "-").lower()
    org_id = await services.access.create_organisation(key)
    await services.access.create_organisation(f"{key}-2")
    world = World(services, clock, statements, key, org_id)
    bot = await world.caller("owner")
    await world.caller("nobody-yet")
    space = await services.access.create_space(bot, CreateSpace(name="shared"))
    bot = await world.caller("owner")
    top = await services.goals.service.create(bot, CreateGoal(title="top", space=space))
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
            await world.grant(
                bot, GrantAccess(space=space, actor=Actor(kind=kind, key=name), permission=role.space)
            )
        if role.share is not None:
            await services.goals.sharing.share(
                bot, ShareGoal(goal_id=top.uid, actor=Actor(kind=kind, key=name), permission=role.share)
            )
        callers[role.name] = await services.access.caller(principal)
    made = Stage(world, space, top.uid, callers)
    made.seen = await made.fresh()
    yield made
    await forget(driver, key)


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
