"""Every id that a mutation takes, as the schema lists them, against ids of what somebody else has."""

from __future__ import annotations

import itertools
import json
from dataclasses import asdict

import pytest

from tests.api.conftest import Api, Client
from tests.api.schema_inputs import (
    REMEMBERED,
    TAKEN,
    Own,
    Steps,
    around,
    input_type,
    of_the_kind,
    owned,
    problem_mutation,
    put,
    tried_leaves,
    written,
)
from tests.api.test_borders import strangers
from tests.support.thinned import in_turns

pytestmark = pytest.mark.slow


def ids_of(mutation: str, *, nightly: bool) -> list[tuple[Steps, bool]]:
    """Return where ids are looked up.

    What an observation is about may be a goal that is not there yet; an action that is there has its goal.
    """
    tried = tried_leaves(mutation, nightly=nightly)
    found = [(path, many) for path, named, many in tried if named.name == "ID"]
    kept = ("context", "goalId"), ("updatedActions", 0, "goalId")
    return [(path, many) for path, many in found if path[-2:] not in kept and path not in kept]


@pytest.mark.covers("SEC-11", "SEC-12")
async def test_a_foreign_id_is_answered_as_one_that_nobody_has_and_writes_nothing(
    api: Api, *, nightly: bool
) -> None:
    theirs = [asdict(await owned(stranger)) for stranger in await strangers(api)]
    usual = await somebody(api, "me")
    wrong = []
    for mutation in TAKEN:
        # The end of a turn is applied once: by somebody of its own.
        sender = await somebody(api, f"me-{mutation}") if mutation in REMEMBERED else usual
        wrong += [
            f"{mutation} {each}"
            for each in await wrong_answers(api, mutation, sender, theirs, nightly=nightly)
        ]
    assert wrong == []


async def somebody(api: Api, agent: str) -> tuple[Client, Own]:
    """A client, and what it has."""
    client = api.client(agent, roles=("maintainer",))
    return client, await owned(client)


async def wrong_answers(
    api: Api, mutation: str, sender: tuple[Client, Own], theirs: list[dict[str, str]], *, nightly: bool
) -> list[str]:
    """What a mutation says or writes that it should not when each of its ids is a foreign one."""
    me, own = sender
    type_ = input_type(mutation)
    taken = TAKEN[mutation](own)
    if mutation == "evaluateScratchPage":
        taken = {"observationIds": [own.observation]}  # a goal is described for one that is founded
    if mutation in REMEMBERED:
        await me.post(problem_mutation(mutation), input=taken)
    before = await written(api.world, mutation)

    async def answer(path: Steps, many: bool, id_: str) -> str:
        sent = put(around(mutation, taken, path), type_, path, [id_] if many else id_)
        return json.dumps((await me.post(problem_mutation(mutation), input=sent)).json()).replace(id_, "ID")

    wrong: list[str] = []
    nobodys: dict[tuple[Steps, str], str] = {}
    for number, (path, many) in enumerate(ids_of(mutation, nightly=nightly)):
        strange = theirs
        if not nightly:
            # With each change ids of the kind that the mutation takes there, of one stranger, in turns.
            strange = [of_the_kind(path, taken, in_turns(theirs, number, nightly=False)[0])]
        for foreign in itertools.chain(*(each.values() for each in strange)):
            kind = path, foreign.split("_")[0]
            if kind not in nobodys:
                unused = foreign[:-4] + ("0000" if foreign[-4:] != "0000" else "1111")
                nobodys[kind] = await answer(path, many, unused)
            said = await answer(path, many, foreign)
            if said != nobodys[kind] or "not_found" not in said:
                wrong.append(f"{path} {foreign}: {said}, and {nobodys[kind]} of what nobody has")
    after = await written(api.world, mutation)
    if changed := {label: n - before.get(label, 0) for label, n in after.items() if n != before.get(label)}:
        last = "MATCH (e:OutboxEvent {org_id: $org}) RETURN e.type AS type ORDER BY e.uid DESC LIMIT 3"
        wrong.append(f"was refused and wrote {changed}; the last events are {await api.world.rows(last)}")
    assert before.keys() <= after.keys()
    return wrong
