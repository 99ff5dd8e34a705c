"""Every id that a mutation takes, as the schema lists them, against ids of what somebody else has."""

from __future__ import annotations

import itertools
import json
from dataclasses import astuple

import pytest

from tests.api.conftest import Api
from tests.api.schema_inputs import (
    ENDS,
    REMEMBERED,
    TAKEN,
    Steps,
    around,
    input_type,
    leaves,
    owned,
    problem_mutation,
    put,
    written,
)
from tests.api.test_borders import strangers

pytestmark = pytest.mark.slow


def ids_of(mutation: str) -> list[tuple[Steps, bool]]:
    """Return where ids are looked up.

    What an observation is about may be a goal that is not there yet; an action that is there has its goal.
    """
    found = [(path, many) for path, named, many in leaves(input_type(mutation)) if named.name == "ID"]
    kept = ("context", "goalId"), ("updatedActions", 0, "goalId")
    return [(path, many) for path, many in found if path[-2:] not in kept and path not in kept]


@pytest.mark.covers("SEC-11", "SEC-12")
@pytest.mark.parametrize("mutation", [name for name in TAKEN if ids_of(name)])
async def test_a_foreign_id_is_answered_as_one_that_nobody_has_and_writes_nothing(
    api: Api, mutation: str, *, nightly: bool
) -> None:
    me = api.client(roles=("maintainer",))
    type_ = input_type(mutation)
    own = await owned(me)
    taken = TAKEN[mutation](own)
    if mutation == "evaluateScratchPage":
        taken = {"observationIds": [own.observation]}  # a goal is described for one that is founded
    if mutation in REMEMBERED:
        await me.post(problem_mutation(mutation), input=taken)
    theirs = [astuple(await owned(stranger)) for stranger in await strangers(api)]
    before = await written(api.world, mutation)
    wrong: list[str] = []
    places = ids_of(mutation)
    if mutation in ENDS and not nightly:
        # They have the places of ten other mutations: with each change a place gets the ids of one stranger.
        strange = [(place, theirs[number % len(theirs)]) for number, place in enumerate(places)]
    else:
        strange = list(itertools.product(places, theirs))

    async def answer(path: Steps, many: bool, id_: str) -> str:
        sent = put(around(mutation, taken, path), type_, path, [id_] if many else id_)
        return json.dumps((await me.post(problem_mutation(mutation), input=sent)).json()).replace(id_, "ID")

    nobodys: dict[tuple[Steps, str], str] = {}
    for (path, many), foreign in ((place, id_) for place, ids in strange for id_ in ids):
        kind = path, foreign.split("_")[0]
        if kind not in nobodys:
            unused = foreign[:-4] + ("0000" if foreign[-4:] != "0000" else "1111")
            nobodys[kind] = await answer(path, many, unused)
        said = await answer(path, many, foreign)
        if said != nobodys[kind] or "not_found" not in said:
            wrong.append(f"{path} {foreign}: {said}, and {nobodys[kind]} of what nobody has")
    assert wrong == []
    assert await written(api.world, mutation) == before
