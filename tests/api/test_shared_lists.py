"""What is shared is in the lists of whoever it is shared with, and may be read but not done: `forbidden`."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from tests.api.conftest import Api, Client
from tests.api.schema_inputs import (
    TAKEN,
    around,
    input_type,
    of_the_kind,
    owned,
    problem_mutation,
    put,
    spelled,
    tried_leaves,
)
from tests.api.test_ended_goals import input_of, places
from tests.api.test_sharing import SHARE
from tests.support.thinned import in_turns

MOVED = ("updateGoals", "goals[0].parentGoalId")
ADDED = """MATCH (n:Goal|PendingAction|Question|Story {org_id: $org}) WHERE NOT n.uid IN $known
MATCH (n) (()-[:CHILD_OF|ADVANCES|ABOUT|ANSWERS]->()){1,2} (:Goal {uid: $goal})
RETURN DISTINCT n.uid AS uid, [label IN labels(n) WHERE label <> 'Unembedded'] AS labels ORDER BY uid"""


async def needed(client: Client, content: str) -> str:
    """The id of an observation that founds a goal."""
    added = await client.run(
        """mutation ($content: String!) { it: addObservation(input: {content: $content, confidence: 0.95,
           evaluate: false}) { ... on AddObservationPayload { observation { id } } } }""",
        content=content,
    )
    return str(added["it"]["observation"]["id"])


@pytest.mark.nightly("test_goals_share_effects has what a grantee adds to a shared goal")
@pytest.mark.slow
@pytest.mark.covers("SEC-14")
async def test_the_owner_sees_what_a_grantee_adds_to_a_shared_goal_by_whatever_mutation(api: Api) -> None:
    """Walks every input that names a goal, sent by somebody with whom the goal is shared."""
    bot, other = api.client(), api.client("other")
    mine, theirs = await owned(bot), await owned(other)
    actor = {"kind": "AGENT", "key": "other"}
    await bot.run(SHARE, input={"goalId": mine.goal, "actor": actor, "permission": "WRITE"})
    added: dict[tuple[str, str], list[str]] = {}
    unseen: set[tuple[str, str]] = set()
    known: list[str] = [mine.action, mine.question, mine.story]
    for (mutation, where), (path, many) in places().items():
        given = await input_of(other, mutation, where, path, many, mine, theirs)
        await other.post(problem_mutation(mutation), input=given)
        rows = await api.world.rows(ADDED, goal=mine.goal, known=known)
        known += [row["uid"] for row in rows]
        if rows:
            added[mutation, where] = sorted(row["labels"][-1] for row in rows)
        for row in rows:
            found = await bot.run("query ($id: ID!) { node(id: $id) { id } }", id=row["uid"])
            unseen |= {(mutation, where)} if found["node"] is None else set()
    # A goal of the grantee's own that is moved there stays in its space, until the grantee shares it back.
    assert unseen == {MOVED}
    assert added == {
        ("createGoal", "parentGoalId"): ["Goal"],
        ("upsertGoal", "parentGoalId"): ["Goal"],
        ("evaluateScratchPage", "goal.parentGoalId"): ["Goal", "PendingAction"],
        ("upsertPendingActions", "actions[0].goalId"): ["PendingAction"],
        ("commitAtTurnEnd", "newActions[0].goalId"): ["PendingAction"],
        ("commitTurn", "newActions[0].goalId"): ["PendingAction"],
        MOVED: ["Goal", "PendingAction"],
    }
    # What the founded goal says that is wrong is named as the input names it.
    problem = await other.run(
        """mutation ($o: [ID!], $g: ID!) { it: evaluateScratchPage(input: {observationIds: $o,
           goal: {title: "Coffee", parentGoalId: $g}}) { ... on Problem { code field } } }""",
        o=[await needed(other, "The user wants coffee")],
        g=theirs.observation,
    )
    assert problem["it"] == {"code": "not_found", "field": "goal.parentGoalId"}


ACTIVE = "{ activeGoals { title } all: activeGoals(all: true) { title } }"
SPACE = """mutation { createSpace(input: {name: "all"}) {
    ... on CreateSpacePayload { space { id } } } }"""
ACCEPT = "mutation ($space: ID!) { acceptGrant(input: {space: $space}) { __typename } }"
NEW = """mutation ($title: String!, $space: ID) { createGoal(input: {title: $title, space: $space}) {
    ... on CreateGoalPayload { goal { id } } } }"""


@pytest.mark.covers("GOAL-17")
async def test_active_goals_are_ones_own_unless_all_are_asked_for(api: Api) -> None:
    """Own is what is for the caller's agent or person, and what one of its actors created."""
    bot, helper = api.client(person="ann"), api.client("helper", person="ann")
    ann, stranger = api.client(None, person="ann"), api.client("stranger")
    phone = api.client(None, device="phone")
    everybody = (bot, helper, ann, stranger, phone)
    clients = dict(zip(("bot", "helper", "ann", "stranger", "phone"), everybody, strict=True))
    made = await bot.run(SPACE)
    space = made["createSpace"]["space"]["id"]
    for kind, key in (("AGENT", "helper"), ("PERSON", "ann"), ("AGENT", "stranger"), ("DEVICE", "phone")):
        await clients[key].run("{ me { orgId } }")
        actor = {"kind": kind, "key": key}
        await bot.run(GRANT, input={"space": space, "permission": "WRITE", "actor": actor})
        await clients[key].run(ACCEPT, space=space)
    for name, client in clients.items():
        await client.run(NEW, title=name, space=space)

    seen = {name: await client.run(ACTIVE) for name, client in clients.items()}

    titles = {
        name: [sorted(goal["title"] for goal in found[which]) for which in ("activeGoals", "all")]
        for name, found in seen.items()
    }
    of_ann, of_all = ["ann", "bot", "helper"], ["ann", "bot", "helper", "phone", "stranger"]
    assert titles == {
        "bot": [of_ann, of_all],
        "helper": [of_ann, of_all],
        "ann": [of_ann, of_all],
        "stranger": [["stranger"], of_all],
        "phone": [["phone"], of_all],
    }


GRANT = "mutation ($input: GrantAccessInput!) { grantAccess(input: $input) { __typename } }"
ACCEPT = "mutation ($space: ID!) { acceptGrant(input: {space: $space}) { __typename } }"
OWN_GRANTS = {"acceptGrant", "leaveSpace"}
"""What a grantee may do with a grant, whatever the grant allows."""
ABOUT = """mutation ($id: ID!, $goal: ID!) {
    upsertQuestionStory(input: {question: {id: $id, goalId: $goal}}) { __typename } }"""


@pytest.mark.slow
@pytest.mark.covers("SEC-14")
async def test_what_may_be_read_but_not_changed_is_forbidden_and_never_unknown(
    api: Api, *, nightly: bool
) -> None:
    """Walks every mutation and every id that it takes, with what is readable by a grant or by a share."""
    me, granter, sharer = api.client("me"), api.client("granter"), api.client("sharer")
    mine, granted, shared = [await owned(client) for client in (me, granter, sharer)]
    actor = {"kind": "AGENT", "key": "me"}
    home = (await granter.run("{ me { homeSpace { id } } }"))["me"]["homeSpace"]["id"]
    for space in (home, granted.space):
        await granter.run(GRANT, input={"space": space, "permission": "READ", "actor": actor})
        assert (await me.run(ACCEPT, space=space))["acceptGrant"]["__typename"] == "AcceptGrantPayload"
    await sharer.run(ABOUT, id=shared.question, goal=shared.goal)
    await sharer.run(SHARE, input={"goalId": shared.goal, "actor": actor, "permission": "READ"})
    # What a share of a goal includes: neither observations nor the space.
    named = {"goal", "action", "question", "story"}
    # No grant reaches a session: what an agent works on is its own, whoever reads its space.
    readable = [
        {name: uid for name, uid in asdict(granted).items() if "session" not in name},
        {name: uid for name, uid in asdict(shared).items() if name in named},
    ]
    wrong: list[str] = []
    asked_for = 0
    for mutation, taken in TAKEN.items():
        type_ = input_type(mutation)
        for path, leaf, many in tried_leaves(mutation, nightly=nightly):
            if leaf.name != "ID" or mutation in OWN_GRANTS:
                continue
            given = around(mutation, taken(mine), path)
            # With each change ids of the kind that the mutation takes there.
            tried = of_the_kind(path, {} if nightly else given, asdict(mine))
            for name, own in tried.items():
                answer = (await me.post(problem_mutation(mutation), input=put(given, type_, path, own))).text
                if "not_found" in answer:
                    continue  # the id is not of the kind that is looked up here
                # What nobody can do with a record of the kind is said of others' as of one's own.
                never = [code for code in ("invalid", "illegal_transition") if f'"code":"{code}"' in answer]
                both = [theirs[name] for theirs in readable if name in theirs]
                # With each change what is readable by a grant or by a share, in turns.
                for uid in in_turns(both, asked_for, nightly=nightly):
                    said = await me.post(
                        problem_mutation(mutation), input=put(given, type_, path, [uid] if many else uid)
                    )
                    asked_for += 1
                    ends = ["forbidden", *never]
                    if path != ("id",):
                        ends += ["Payload", "invalid"]
                    if "not_found" in said.text or not any(end in said.text for end in ends):
                        wrong.append(f"{mutation}.{spelled(path)} {uid}: {said.text}")
    assert wrong == []
    assert asked_for > 100
