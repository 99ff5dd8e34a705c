"""Who may do what with what belongs to an organisation: its action types and its proposals.

What a token's roles allow decides, and beside it the permission on the common space, where proposals and
versions are read. The table of roles and operations is the test: what is refused has its code, and then the
organisation, and the repository that proposals are exported to, are as they were.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from neo4j import AsyncDriver

from prefrontal.graph.access.record import CreateSpace
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.caller import ActorKind, Caller, Permission, Principal, SpacePermission
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.errors import InvalidInput, PrefrontalError
from prefrontal.graph.history.record import AuditFilter, Revert
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.registry.overrides.record import (
    ActionTypeDraft,
    ActionTypeOverride,
    DeprecateActionType,
    RegisterActionType,
)
from prefrontal.graph.registry.proposals.record import (
    ExportProposalAsPr,
    ProposalFilter,
    ProposalType,
    RegistryProposal,
    ReviewDecision,
    ReviewRegistryProposal,
    SubmitRegistryProposal,
    WithdrawRegistryProposal,
)
from tests.graph.rights.stage import RANK, READ, WRITE, dump
from tests.support.clock import FixedClock
from tests.support.gitting import git, registry_repository
from tests.support.statements import StatementCounter
from tests.support.thinned import first_by_day
from tests.support.world import World, forget


@dataclass(frozen=True)
class Role:
    """Who asks: what the token says, and what the common space allows."""

    name: str
    token: tuple[str, ...]
    common: SpacePermission | None = WRITE
    agent: str | None = None
    person: str | None = None
    author: bool = False
    foreign: bool = False

    @property
    def acting(self) -> tuple[ActorKind, str]:
        return (ActorKind.AGENT, self.agent) if self.agent else (ActorKind.PERSON, self.person or self.name)


MAINTAINER = ("maintainer",)
ROLES = [
    Role("without-a-role", ()),
    Role("reader", ("reader",)),
    Role("writer", ("writer",)),
    Role("writing-agent", ("writer",), agent="writing-agent"),
    # It administers every space that it can; that is not what an organisation's types need.
    Role("owner-of-a-shared-space", ("writer",), agent="owner"),
    Role("reading-author", ("reader",), agent="author", author=True),
    Role("writing-author", ("writer",), agent="author", author=True),
    Role("maintainer", MAINTAINER),
    Role("maintaining-agent", MAINTAINER, agent="maintaining-agent"),
    Role("admin", ("admin",)),
    Role("maintainer-of-another-organisation", MAINTAINER, foreign=True),
    Role("maintaining-author", MAINTAINER, agent="author", author=True),
    Role("maintainer-through-the-author", MAINTAINER, agent="author", person="mia", author=True),
    Role("writer-who-only-reads-the-common-space", ("writer",), common=READ),
    Role("maintainer-who-only-reads-the-common-space", MAINTAINER, common=READ),
    Role("writer-without-the-common-space", ("writer",), common=None),
    Role("maintainer-without-the-common-space", MAINTAINER, common=None),
]


@dataclass(frozen=True)
class Target:
    """What is there already: a type, a proposal to decide about, and one that is approved."""

    kind: ActionTypeOverride
    open: RegistryProposal
    approved: RegistryProposal


@dataclass
class Stage:
    world: World
    repository: Path
    callers: dict[str, Caller]
    names: count[int]

    @property
    def services(self) -> Any:
        return self.world.services

    def definition(self, type_id: str | None = None) -> dict[str, Any]:
        """A type that nobody has, or another definition of one."""
        research = self.services.registry.files["research"].model_dump()
        number = next(self.names)
        return research | {"id": type_id or f"type_{number}", "display_name": f"Type {number}"}

    def draft(self) -> SubmitRegistryProposal:
        return SubmitRegistryProposal(
            proposal_type=ProposalType.ADD, type_id=f"proposed_{next(self.names)}", rationale="r"
        )

    async def fresh(self) -> Target:
        author, keeper = self.callers["writing-author"], self.callers["admin"]
        kind = await self.services.registry.overrides.register(
            keeper, RegisterActionType(definition=ActionTypeDraft(keys=self.definition()), approved=True)
        )
        waiting, ready = [
            await self.services.registry.proposals.submission.submit(author, command)
            for command in (self.draft(), self.draft())
        ]
        approved = await self.services.registry.proposals.review.review(
            keeper, ReviewRegistryProposal(id=ready.uid, decision=ReviewDecision.APPROVE)
        )
        return Target(kind, waiting, approved)

    def branches(self) -> str:
        return git(self.repository, "for-each-ref")


Attempt = Callable[[Stage, Caller, Target], Awaitable[Any]]


@dataclass(frozen=True)
class Operation:
    """What is tried, what it needs of the token and of the common space, and whether it names what is there.

    What does not is done in the organisation of whoever asks: a type's id is a name of its organisation.
    `by_others` is not for authors; `by_authors` is for them and for maintainers.
    """

    name: str
    attempt: Attempt
    needs: Permission
    common: SpacePermission | None = None
    named: bool = True
    by_others: bool = False
    by_authors: bool = False


OPERATIONS: list[Operation] = []


def operation(
    needs: Permission,
    common: SpacePermission | None = None,
    *,
    named: bool = True,
    by_others: bool = False,
    by_authors: bool = False,
) -> Callable[[Attempt], Attempt]:
    def add(attempt: Attempt) -> Attempt:
        OPERATIONS.append(Operation(attempt.__name__, attempt, needs, common, named, by_others, by_authors))
        return attempt

    return add


@operation(Permission.READ)
async def type_list(stage: Stage, caller: Caller, target: Target) -> Any:
    found = await stage.services.registry.overrides.list_overrides(caller)
    return [each for each in found if each.uid == target.kind.uid]


@operation(Permission.READ, READ)
async def type_read(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.registry.overrides.get(caller, [target.kind.uid])


@operation(Permission.READ, READ)
async def type_history(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.history.service.history(caller, target.kind.uid)).items


@operation(Permission.READ, READ)
async def type_as_of(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.history.service.as_of(caller, target.kind.uid, stage.world.clock.now())


@operation(Permission.READ, READ)
async def type_audit(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.history.audit.page(caller, AuditFilter(entity_id=target.kind.uid))).items


@operation(Permission.MAINTAIN, named=False)
async def type_register(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.registry.overrides.register(
        caller, RegisterActionType(definition=ActionTypeDraft(keys=stage.definition()), approved=True)
    )


@operation(Permission.MAINTAIN, named=False)
async def type_draft(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.registry.overrides.register(
        caller, RegisterActionType(definition=ActionTypeDraft(keys=stage.definition()))
    )


@operation(Permission.MAINTAIN, named=False)
async def type_of_a_file_deprecate(stage: Stage, caller: Caller, target: Target) -> Any:
    note = f"for {next(stage.names)}"
    return await stage.services.registry.overrides.deprecate(
        caller, DeprecateActionType(id="decision", note=note, block_new=False)
    )


@operation(Permission.MAINTAIN, named=False)
async def type_change(stage: Stage, caller: Caller, target: Target) -> Any:
    definition = stage.definition(target.kind.type_id)
    return await stage.services.registry.overrides.register(
        caller, RegisterActionType(definition=ActionTypeDraft(keys=definition), approved=True)
    )


@operation(Permission.MAINTAIN)
async def type_deprecate(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.registry.overrides.deprecate(
        caller, DeprecateActionType(id=target.kind.type_id)
    )


@operation(Permission.MAINTAIN)
async def type_migrate(stage: Stage, caller: Caller, target: Target) -> Any:
    # Where there are actions is a question of spaces; nobody has any of this type.
    moved = await stage.services.actions.type_migration.migrate(caller, "research", target.kind.type_id, {})
    return moved == 0


@operation(Permission.READ, READ)
async def proposal_read(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.registry.proposals.service.get(caller, [target.open.uid])


@operation(Permission.READ, READ)
async def proposal_list(stage: Stage, caller: Caller, target: Target) -> Any:
    page = await stage.services.registry.proposals.service.list(caller, ProposalFilter(), first=100)
    return [each for each in page.items if each.uid == target.open.uid]


@operation(Permission.READ, READ)
async def proposal_count(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.registry.proposals.service.count(
        caller, ProposalFilter(type_id=target.open.type_id)
    )


@operation(Permission.READ, READ)
async def proposal_history(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.history.service.history(caller, target.approved.uid)).items


@operation(Permission.READ, READ)
async def proposal_as_of(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.history.service.as_of(caller, target.approved.uid, stage.world.clock.now())


@operation(Permission.READ, READ)
async def proposal_audit(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.history.audit.page(caller, AuditFilter(entity_id=target.approved.uid))).items


# Whatever their spaces: a proposal is the organisation's.
@operation(Permission.WRITE, named=False)
async def proposal_submit(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.registry.proposals.submission.submit(
        caller, SubmitRegistryProposal(**dict(stage.draft()))
    )


@operation(Permission.WRITE, WRITE)
async def proposal_revise(stage: Stage, caller: Caller, target: Target) -> Any:
    command = SubmitRegistryProposal(id=target.open.uid, display_name=f"Name {next(stage.names)}")
    return await stage.services.registry.proposals.submission.submit(caller, command)


@operation(Permission.MAINTAIN, WRITE, by_others=True)
async def proposal_approve(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.registry.proposals.review.review(
        caller, ReviewRegistryProposal(id=target.open.uid, decision=ReviewDecision.APPROVE)
    )


@operation(Permission.MAINTAIN, WRITE, by_others=True)
async def proposal_reject(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.registry.proposals.review.review(
        caller, ReviewRegistryProposal(id=target.open.uid, decision=ReviewDecision.REJECT)
    )


@operation(Permission.MAINTAIN, WRITE)
async def proposal_export(stage: Stage, caller: Caller, target: Target) -> Any:
    return (
        await stage.services.registry.proposals.export.export(
            caller, ExportProposalAsPr(id=target.approved.uid)
        )
    ).branch


@operation(Permission.WRITE, WRITE, by_authors=True)
async def proposal_withdraw(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.registry.proposals.withdrawal.withdraw(
        caller, WithdrawRegistryProposal(id=target.open.uid)
    )


@operation(Permission.WRITE, WRITE, by_authors=True)
async def proposal_withdraw_approved(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.registry.proposals.withdrawal.withdraw(
        caller, WithdrawRegistryProposal(id=target.approved.uid, reason="not needed")
    )


WRITING = {wanted.name for wanted in OPERATIONS if wanted.needs is not Permission.READ}


@pytest.fixture(scope="module")
async def stage(
    settings: Settings, driver: AsyncDriver, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Stage]:
    """One organisation for the whole table; what is tried is made anew each time."""
    clock, statements = FixedClock(), StatementCounter()
    repository = registry_repository(tmp_path_factory.mktemp("forge") / "clone")
    settings = settings.model_copy(update={"registry_repository": repository})
    services = build_services(settings, driver, clock=clock, observers=[statements])
    key = new_id(Kind.ORGANISATION, clock.now()).replace("_", "-").lower()
    org_id = await services.access.create_organisation(key)
    await services.access.create_organisation(f"{key}-2")
    world = World(services, clock, statements, key, org_id)
    owner = await world.caller("owner")
    await services.access.create_space(owner, CreateSpace(name="shared"))
    callers: dict[str, Caller] = {}
    for role in ROLES:
        kind, name = role.acting
        principal = Principal(
            org=f"{key}-2" if role.foreign else key,
            agent=role.agent,
            person=role.person or (name if kind is ActorKind.PERSON else None),
            roles=role.token,
        )
        await services.access.caller(principal)
        if role.common is not WRITE:
            # Nobody administers the common space, so nobody but who runs the database does this.
            await world.rows(
                "MATCH (:Actor {org_id: $org, key: $key})-[may:MAY]->(:Space {key: 'common'}) "
                "SET may.permission = coalesce($permission, may.permission), "
                "may.until = CASE WHEN $permission IS NULL THEN datetime() END",
                key=name,
                permission=role.common.value if role.common else None,
            )
        callers[role.name] = await services.access.caller(principal)
    yield Stage(world, repository, callers, count())
    await forget(driver, key)


def expected(role: Role, wanted: Operation) -> str | None:
    """The code that is told, or None when it is allowed."""
    if wanted.needs.value not in PERMISSIONS[role.token]:
        return "forbidden"
    if role.foreign:
        return "not_found" if wanted.named else None
    if RANK[role.common] < RANK[wanted.common]:
        return "forbidden" if role.common else "not_found"
    if wanted.by_authors and not role.author and "maintain" not in PERMISSIONS[role.token]:
        return "forbidden"
    return "forbidden" if role.author and wanted.by_others else None


PERMISSIONS = {
    (): (),
    ("reader",): ("read",),
    ("writer",): ("read", "write"),
    MAINTAINER: ("read", "write", "maintain"),
    ("admin",): ("read", "write", "maintain"),
}


async def outcome_code(wanted: Operation, stage: Stage, caller: Caller, target: Target) -> str | None:
    """The code of what is told; what finds nothing says as much as `not_found`."""
    try:
        found = await wanted.attempt(stage, caller, target)
    except PrefrontalError as error:
        return error.code
    return None if found else "not_found"


@pytest.mark.covers("SEC-12", "REG-15", "REG-48", "REG-49")
@pytest.mark.parametrize(
    "role",
    first_by_day(ROLES, "a role that may as much as another", by_day=11),
    ids=lambda role: role.name,
)
async def test_a_role_may_do_what_the_table_says_and_what_is_refused_writes_nothing(
    stage: Stage, role: Role, *, nightly: bool
) -> None:
    caller, wrong = stage.callers[role.name], []
    shown = await stage.fresh()
    before, branches = await dump(stage.world), stage.branches()
    for wanted in OPERATIONS:
        code = expected(role, wanted)
        if code is not None and (said := await outcome_code(wanted, stage, caller, shown)) != code:
            wrong.append((wanted.name, said, code))
    assert wrong == []
    assert await dump(stage.world) == before
    assert stage.branches() == branches

    # What is refused is tried by every role with each change; what is allowed by one in four.
    for number, wanted in enumerate(OPERATIONS, ROLES.index(role)):
        if expected(role, wanted) is None and (nightly or number % 4 == 0):
            target = await stage.fresh() if wanted.name in WRITING else shown
            said = await outcome_code(wanted, stage, caller, target)
            assert said is None, wanted.name


@pytest.mark.covers("SEC-12")
async def test_what_is_done_in_another_organisation_leaves_this_one_as_it_was(stage: Stage) -> None:
    them = stage.callers["maintainer-of-another-organisation"]
    target = await stage.fresh()
    before = await dump(stage.world)
    own = [wanted for wanted in OPERATIONS if not wanted.named]
    assert [wanted.name for wanted in own if await outcome_code(wanted, stage, them, target)] == []

    # The name of a type that is proposed here is free there.
    draft = stage.draft().model_copy(update={"type_id": target.open.type_id})
    assert (
        await stage.services.registry.proposals.submission.submit(them, SubmitRegistryProposal(**dict(draft)))
    ).status.value == "open"

    assert await dump(stage.world) == before


@pytest.mark.covers("VER-06")
async def test_types_and_proposals_are_reverted_by_nobody(stage: Stage) -> None:
    target = await stage.fresh()
    before = await dump(stage.world)
    for name in ("maintainer", "admin", "maintaining-author"):
        # The answer says what to do instead.
        for uid, instead in (
            (target.kind.uid, "not reverted.*`registerActionType`"),
            (target.open.uid, "not reverted.*withdraw it with `withdrawRegistryProposal`"),
            (target.approved.uid, "not reverted.*withdraw it with `withdrawRegistryProposal`"),
        ):
            with pytest.raises(InvalidInput, match=instead):
                await stage.services.history.revert.revert(stage.callers[name], Revert(id=uid, version=1))
    assert await dump(stage.world) == before


async def test_what_is_refused_because_of_the_token_is_so_before_anything_is_looked_at(stage: Stage) -> None:
    shown = await stage.fresh()
    uid = new_id(Kind.REGISTRY_PROPOSAL, stage.world.clock.now())
    gone = Target(
        shown.kind,
        shown.open.model_copy(update={"uid": uid}),
        shown.approved.model_copy(update={"uid": uid}),
    )
    writer = stage.callers["writer"]
    for wanted in OPERATIONS:
        if wanted.needs is Permission.MAINTAIN:
            said = [await outcome_code(wanted, stage, writer, target) for target in (shown, gone)]
            assert said == ["forbidden", "forbidden"], wanted.name


def test_every_role_is_refused_something_and_every_operation_refuses_somebody() -> None:
    for role in ROLES:
        refused = [wanted.name for wanted in OPERATIONS if expected(role, wanted)]
        assert refused or role.name in ("maintainer", "maintaining-agent", "admin")
    for wanted in OPERATIONS:
        assert [role.name for role in ROLES if expected(role, wanted)]
        assert [role.name for role in ROLES if expected(role, wanted) is None]
