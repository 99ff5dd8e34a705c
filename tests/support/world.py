"""An organisation of a test's own, its callers, its clock, and what is in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from neo4j import AsyncDriver

from prefrontal.graph.access.record import AcceptGrant, GrantAccess
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.caller import Caller, Principal
from tests.support.clock import FixedClock
from tests.support.statements import StatementCounter


@dataclass
class World:
    services: Services
    clock: FixedClock
    statements: StatementCounter
    org: str
    org_id: str
    is_alone: bool = False
    _callers: dict[Principal, Caller] = field(default_factory=dict)

    def principal(
        self,
        agent: str | None = "bot",
        *,
        person: str | None = None,
        device: str | None = None,
        roles: tuple[str, ...] = ("writer",),
    ) -> Principal:
        return Principal(org=self.org, agent=agent, person=person, device=device, roles=roles)

    async def caller(self, agent: str | None = "bot", **kwargs: Any) -> Caller:
        """The caller of a principal, resolved afresh, so that grants made meanwhile count."""
        return await self.services.access.caller(self.principal(agent, **kwargs))

    async def grant(self, caller: Caller, command: GrantAccess) -> str:
        """Grant access as a caller, and accept it as the actor it is for; return the actor's id."""
        granted = await self.services.access.grant_access(caller, command)
        if not granted.accepted:
            actor = {"agent": None, command.actor.kind.value: command.actor.key}
            grantee = await self.caller(**actor)
            await self.services.access.accept_grant(grantee, AcceptGrant(space=command.space))
        return granted.actor_id

    async def rows(self, cypher: str, **params: Any) -> list[dict[str, Any]]:
        """Look at the graph directly. `$org` is this test's organisation."""
        if not self.is_alone and _changes_others(cypher):
            raise AssertionError(f"Mark this test `alone`: it changes what other tests have stored: {cypher}")
        driver = self.services.database.driver
        records, _, _ = await driver.execute_query("CYPHER 25 " + cypher, org=self.org_id, **params)
        return [record.data() for record in records]

    async def counts(self) -> dict[str, int]:
        """How many nodes of each label this organisation has: to assert that nothing was written."""
        rows = await self.rows(
            "MATCH (n {org_id: $org}) UNWIND labels(n) AS label "
            "RETURN label, count(*) AS number ORDER BY label"
        )
        return {row["label"]: row["number"] for row in rows}


def _changes_others(cypher: str) -> bool:
    """Whether a statement writes to what is not of this test: of other organisations, or of all."""
    writes = re.search(r"\b(DELETE|SET|REMOVE)\b", cypher)
    return writes is not None and ("<> $org" in cypher or "$" not in cypher)


async def let_nothing_wait(world: World) -> None:
    """Let the jobs, which work for every organisation, find nothing that waits from other tests."""
    await world.rows(
        "CALL () { MATCH (e:Unsequenced|DeadLetter) WHERE e.org_id <> $org DETACH DELETE e } "
        "CALL () { MATCH (c:EventCounter) WHERE c.org_id <> $org SET c.unpublished = false } "
        "MATCH (lease:Lease) WHERE lease.name STARTS WITH 'job:' DELETE lease"
    )


def with_long_queries(services: Services) -> Services:
    """Give these services, with the time that a cold server on a busy machine takes for a page."""
    # The query deadline of the registry is for warm servers.
    table = services.catalog.scratch.model_copy(update={"query_timeout_ms": 30_000})
    object.__setattr__(services.catalog, "scratch", table)
    return services


async def forget(driver: AsyncDriver, key: str) -> None:
    """Delete all that a test's organisations have: their keys begin with the key.

    No index leads to everything of an organisation, so whoever counts it looks at the whole store, which
    therefore has to stay as small as what the tests that run now have in it.
    """
    await driver.execute_query(
        "CYPHER 25 MATCH (o:Organisation) WHERE o.key STARTS WITH $key WITH collect(o.uid) AS orgs "
        "MATCH (n) WHERE n.org_id IN orgs OR n.uid IN orgs OR n.registry STARTS WITH $key DETACH DELETE n",
        key=key,
    )
