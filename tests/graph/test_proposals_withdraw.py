"""The withdrawal of a proposal beside other changes of it at the same time: one of them wins."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

import pytest

from prefrontal.graph.cortex.actions.record import PendingActionUpsert, UpsertPendingActions
from prefrontal.graph.errors import PrefrontalError
from prefrontal.graph.registry.proposals.record import (
    ProposalFilter,
    ProposalStatus,
    ProposalType,
    RegistryProposal,
    ReviewDecision,
    ReviewRegistryProposal,
    SubmitRegistryProposal,
    WithdrawRegistryProposal,
)
from tests.support.world import World

ROUNDS = 6


async def submitted(world: World, name: str, who: str = "bot") -> RegistryProposal:
    command = SubmitRegistryProposal(proposal_type=ProposalType.ADD, type_id=name, rationale="r")
    found: RegistryProposal = await world.services.registry.proposals.submission.submit(
        await world.caller(who), command
    )
    return found


async def withdrawn(world: World, uid: str, **given: Any) -> RegistryProposal:
    command = WithdrawRegistryProposal(id=uid, **given)
    return await world.services.registry.proposals.withdrawal.withdraw(await world.caller(), command)


async def reviewed(world: World, uid: str, decision: ReviewDecision, **given: Any) -> RegistryProposal:
    mia = await world.caller(None, person="mia", roles=("maintainer",))
    command = ReviewRegistryProposal(id=uid, decision=decision, **given)
    return await world.services.registry.proposals.review.review(mia, command)


async def status_or_code(attempt: Awaitable[RegistryProposal]) -> str:
    """The status of the proposal afterwards, or the code of the refusal."""
    try:
        return (await attempt).status.value
    except PrefrontalError as error:
        return error.code


async def stored(world: World, uid: str) -> list[dict[str, Any]]:
    """The status, with the numbers of the versions and the types of the events after the submission."""
    return await world.rows(
        "MATCH (p:RegistryProposal {uid: $uid}) "
        "RETURN p.status AS status, "
        "COLLECT { MATCH (v:Version)-[:OF]->(p) RETURN v.number ORDER BY v.number } AS versions, "
        "COLLECT { MATCH (e:OutboxEvent {aggregate: $uid}) WHERE e.aggregate_version > 1 "
        "RETURN e.type } AS events",
        uid=uid,
    )


@pytest.mark.covers("REG-44", "REG-49")
@pytest.mark.parametrize("decision", ReviewDecision)
async def test_of_a_withdrawal_and_a_review_at_once_one_wins(world: World, decision: ReviewDecision) -> None:
    await world.caller(None, person="mia", roles=("maintainer",))
    status = {"approve": "approved", "reject": "rejected"}[decision.value]
    for number in range(ROUNDS):
        uid = (await submitted(world, f"survey_{number}")).uid
        attempts = [
            status_or_code(withdrawn(world, uid, expected_version=1)),
            status_or_code(reviewed(world, uid, decision, expected_version=1)),
        ]
        # The order in which they begin does not decide either.
        if number % 2:
            done = list(reversed(await asyncio.gather(*reversed(attempts))))
        else:
            done = list(await asyncio.gather(*attempts))

        won = "withdrawn" if done[0] == "withdrawn" else status
        assert done == (
            ["withdrawn", "version_conflict"] if won == "withdrawn" else ["version_conflict", status]
        )
        said = "registry_proposal." + ("withdrawn" if won == "withdrawn" else "reviewed")
        assert await stored(world, uid) == [{"status": won, "versions": [1, 2], "events": [said]}]


@pytest.mark.covers("REG-44")
async def test_without_an_expected_version_the_second_of_two_decisions_is_refused(world: World) -> None:
    await world.caller(None, person="mia", roles=("maintainer",))
    for number in range(ROUNDS):
        uid = (await submitted(world, f"survey_{number}")).uid
        attempts = [
            status_or_code(withdrawn(world, uid)),
            status_or_code(withdrawn(world, uid)),
            status_or_code(reviewed(world, uid, ReviewDecision.REJECT)),
        ]
        done = await asyncio.gather(*attempts)

        assert sorted(done)[:2] == ["illegal_transition", "illegal_transition"]
        (won,) = set(done) - {"illegal_transition"}
        (row,) = await stored(world, uid)
        assert (row["status"], row["versions"], len(row["events"])) == (won, [1, 2], 1)


@pytest.mark.covers("REG-59")
async def test_a_name_has_one_open_proposal_however_its_withdrawal_meets_uses_of_the_name(
    world: World,
) -> None:
    services = world.services
    bot = await world.caller()
    others = [await world.caller(f"b{number}") for number in range(3)]
    for number in range(ROUNDS):
        name = f"survey_{number}"
        old = (await submitted(world, name)).uid
        uses = [
            services.actions.upsert.upsert(
                who, UpsertPendingActions(actions=[PendingActionUpsert(type=name, title="t")])
            )
            for who in others
        ]
        made, *results = await asyncio.gather(
            status_or_code(withdrawn(world, old)), *uses, return_exceptions=False
        )

        assert made == "withdrawn"
        found = (
            await services.registry.proposals.service.list(bot, ProposalFilter(type_id=name), first=9)
        ).items
        open_ones = [each.uid for each in found if each.status is ProposalStatus.OPEN]
        assert [each.uid for each in found if each.status is ProposalStatus.WITHDRAWN] == [old]
        assert len(found) == 1 + len(open_ones) <= 2
        # Each use waits for the proposal that it found, or for the one that it opened.
        for who, (result,) in zip(others, results, strict=True):
            assert result.action
            uid = result.action.uid
            waits = await services.registry.proposals.service.awaited_types(who, [uid])
            assert waits[uid].proposal_id in (old, *open_ones)
