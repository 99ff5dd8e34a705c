"""Every mutation, sent again with its key by a caller whose access has ended meanwhile: no defect."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.api.conftest import Api
from tests.api.schema_inputs import SCHEMA, TAKEN, Own, input_type
from tests.fault.test_frozen_anywhere import document

MAKE = """mutation ($space: ID!, $text: String!) {
  o: addObservation(input: {content: "own", confidence: 0.95, evaluate: false, space: $space}) {
    ... on AddObservationPayload { observation { id } } }
  g: createGoal(input: {title: "own", space: $space, pendingActions: [{title: "a", type: "agent_task"}]}) {
    ... on CreateGoalPayload { goal { id actions { nodes { id } } } } }
  q: upsertQuestionStory(input: {question: {text: "own"}, story: {narrative: "n"}, space: $space}) {
    ... on UpsertQuestionStoryPayload { question { id } story { id } } }
  m: remember(input: {memories: [{kind: CAPABILITY, content: $text}], space: $space}) {
    ... on RememberPayload { memories { id } } } }"""
GRANT = """mutation ($space: ID!, $key: String!) { grantAccess(input: {
  space: $space, actor: {kind: AGENT, key: $key}, permission: WRITE}) { __typename } }"""
CREATE = """mutation ($name: String!) { s: createSpace(input: {name: $name}) {
  ... on CreateSpacePayload { space { id } } } }"""
ACCEPT = "mutation ($space: ID!) { acceptGrant(input: {space: $space}) { __typename } }"
REVOKE = """mutation ($space: ID!, $key: String!) { revokeAccess(input: {
  space: $space, actor: {kind: AGENT, key: $key}}) { __typename } }"""


@pytest.mark.slow
async def test_what_is_sent_again_after_a_revoke_is_not_found_and_never_a_defect(
    api: Api, *, nightly: bool
) -> None:
    owner, guest = api.client("owner"), api.client("guest", roles=("writer", "maintainer"))
    for client in (owner, guest, api.client(None, person="ann")):
        await client.run("{ me { orgId } }")
    spaces = []
    for name in ("revoked", "left"):
        made = await owner.run(CREATE, name=name)
        spaces.append(made["s"]["space"]["id"])
        granted = await owner.run(GRANT, space=spaces[-1], key="guest")
        assert granted["grantAccess"]["__typename"] == "GrantAccessPayload"
        accepted = await guest.run(ACCEPT, space=spaces[-1])
        assert accepted["acceptGrant"]["__typename"] == "AcceptGrantPayload"
    space, left = spaces
    calls: dict[str, dict[str, Any]] = {}
    done: set[str] = set()
    for mutation, of in sorted(TAKEN.items())[:: 1 if nightly else 8]:
        # New things for each, so that none finds what another one has ended.
        made = await owner.run(MAKE, space=space, text=f"own {mutation}")
        goal = made["g"]["goal"]
        own = Own(
            observation=made["o"]["observation"]["id"],
            goal=goal["id"],
            action=goal["actions"]["nodes"][0]["id"],
            question=made["q"]["question"]["id"],
            story=made["q"]["story"]["id"],
            mandate=made["m"]["memories"][0]["id"],
            space=left if mutation == "leaveSpace" else space,
            # A lesson lies in the space of its turn, which is private to the owner.
            lesson=space,
            # A session is nobody else's: the guest has none of the owner's.
            session=space,
            other_session=space,
        )
        given = of(own) | {"idempotencyKey": f"k-{mutation}"}
        if "space" in input_type(mutation).fields and "space" not in given:
            given["space"] = space
        calls[mutation] = given
        body = (await guest.post(document(mutation), input=given)).json()
        assert "errors" not in body, body
        if body["data"]["it"]["__typename"] != "Problem":
            done.add(mutation)

    revoked = await owner.run(REVOKE, space=space, key="guest")
    assert revoked["revokeAccess"]["__typename"] == "RevokeAccessPayload"
    wrong = {}
    for mutation, given in calls.items():
        body = (await guest.post(document(mutation), input=given)).json()
        it = body["data"]["it"] if body.get("data") else None
        told = {error["extensions"]["code"] for error in body.get("errors", ())}
        if it is None or told - {"not_found"}:
            wrong[mutation] = body
        elif (
            it["__typename"] == "Problem"
            and mutation in done
            and it["code"] not in {"not_found", "forbidden"}
        ):
            wrong[mutation] = it

    assert wrong == {}, json.dumps(wrong)[:3000]
    if nightly:
        assert sorted(calls) == sorted(SCHEMA.mutation_type.fields)
    assert len(done) > (20 if nightly else 3), sorted(done)
