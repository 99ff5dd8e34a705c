"""Mutations of lists: all entries or none, with the path of what is wrong and the rules of one entry."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import GraphQLInputObjectType, get_named_type, is_list_type, is_non_null_type

from tests.api.conftest import Api, Client
from tests.api.schema_inputs import ENDS, SCHEMA, TAKEN, Own, input_type, owned, problem_mutation, refused
from tests.api.test_actions import ANN, call, new_action, shared
from tests.support.thinned import first_by_day

NIGHTLY = pytest.mark.nightly(
    "the graph shows the rules of one record; all or none of a list is tried with each change"
)

Given = dict[str, Any]
LISTS = {
    "updateObservations": ("observations", "updateObservation"),
    "resolveObservations": ("observations", "resolveObservation"),
    "archiveObservations": ("observations", "archiveObservation"),
    "updateGoals": ("goals", "upsertGoal"),
    "transitionGoals": ("goals", "transitionGoal"),
    "linkObservations": ("links", "linkObservation"),
    "archiveQuestions": ("questions", "archiveQuestion"),
    "transitionPendingActions": ("actions", "transitionPendingAction"),
}
"""Each mutation of a list, the field of its entries, and the mutation of one entry."""
STATEMENTS = {
    # What a mutation of one entry sends and what is read for the answer, for a list of three.
    "updateObservations": ["lock_observations", "update_observations", "end_conflicts"],
    "resolveObservations": ["lock_observations", "update_observations"],
    "archiveObservations": ["lock_observations", "update_observations"],
    "updateGoals": ["lock_goals", "update_goals", "replace_topics"],
    "transitionGoals": ["lock_goals", "update_goals"],
    "archiveQuestions": [
        "lock_questions",
        "update_questions",
        "list_stories_by_question",
        "lock_stories",
        "update_stories",
    ],
    "transitionPendingActions": ["lock_pending_actions", "update_pending_actions"],
}
FACTS = """MATCH (n {org_id: $org}) WHERE n.version IS NOT NULL AND NOT n:Turn
    RETURN n.uid AS uid, n.version AS version ORDER BY uid"""


def entry_of(mutation: str, own: Own) -> Given:
    """The entry that `TAKEN` has for a mutation."""
    entry: Given = TAKEN[mutation](own)[LISTS[mutation][0]][0]
    return entry


def id_of(mutation: str) -> str:
    return "goalId" if mutation == "linkObservations" else "id"


async def send(client: Client, mutation: str, entries: list[Given], **more: Any) -> Given:
    body: Given = (
        await client.post(problem_mutation(mutation), input={LISTS[mutation][0]: entries, **more})
    ).json()
    assert "errors" not in body, body
    return body


def test_every_mutation_of_a_list_of_records_is_tried() -> None:
    """A list whose entries name a record and what becomes of it, but not those that judge entries alone."""
    assert SCHEMA.mutation_type
    found = set()
    for name in SCHEMA.mutation_type.fields:
        for field in input_type(name).fields.values():
            inner = field.type.of_type if is_non_null_type(field.type) else field.type
            entry = get_named_type(inner)
            if not is_list_type(inner) or not isinstance(entry, GraphQLInputObjectType):
                continue
            required = {key for key, each in entry.fields.items() if is_non_null_type(each.type)}
            if "id" in required or {"observationId", "goalId"} <= required:
                found.add(name)
    # The end of a turn applies each delta alone.
    assert found - ENDS == set(LISTS)
    for name, (path, single) in LISTS.items():
        entry = get_named_type(input_type(name).fields[path].type)
        assert isinstance(entry, GraphQLInputObjectType)
        # Whatever the single mutation takes for its record.
        left = set(input_type(single).fields) - {"turnId", "idempotencyKey", "clientKey", "space"}
        assert set(entry.fields) == left, name


@pytest.mark.parametrize("mutation", first_by_day(LISTS, "the list of another mutation", by_day=3))
async def test_all_entries_or_none(api: Api, mutation: str) -> None:
    client, path = api.client(), LISTS[mutation][0]
    own = [await owned(client) for _ in range(3)]
    entries = [entry_of(mutation, each) for each in own]
    other = await owned(api.client("other"))
    key = id_of(mutation)
    before = await api.world.rows(FACTS)

    refusals: list[tuple[list[Given], str, set[str]]] = [
        ([*entries[:2], {**entries[2], key: other.goal}], "not_found", {f"{path}[2].{key}"}),
        ([entries[0], entries[1], entries[0]], "invalid", set()),
        ([], "invalid", {path}),
        ([entries[0]] * 101, "too_large", set()),
    ]
    if mutation != "linkObservations":
        stale = {**entries[1], "expectedVersion": 7}
        refusals.append(([entries[0], stale], "version_conflict", {f"{path}[1].expectedVersion"}))
    for sent, code, fields in refusals:
        body = await send(client, mutation, sent)
        problem = body["data"]["it"]
        codes = (
            {problem["code"], *(each["code"] for each in problem["problems"])} if "code" in problem else {}
        )
        assert code in codes, (mutation, code, body)
        assert fields <= (refused(body) or set()), (mutation, code, body)
    assert await api.world.rows(FACTS) == before

    api.world.statements.clear()
    body = await send(client, mutation, entries, idempotencyKey="k", turnId="t")
    assert refused(body) is None, body
    counts = api.world.statements.counts
    for name in STATEMENTS.get(mutation, ()):
        found = [number for statement, number in counts.items() if statement.endswith(f"/{name}")]
        assert found == [1], (name, counts)
    assert counts["journal/append_entries"] <= 2
    after = await api.world.rows(FACTS)
    changed = {
        row["uid"] for row in after if row["version"] > {b["uid"]: b["version"] for b in before}[row["uid"]]
    }
    wanted = {str(entry[key]) for entry in entries}
    assert wanted <= changed
    # The same call again writes nothing, and another list with the key is a conflict.
    assert refused(await send(client, mutation, entries, idempotencyKey="k", turnId="t")) is None
    assert await api.world.rows(FACTS) == after
    conflict = await send(client, mutation, entries[:1], idempotencyKey="k", turnId="t")
    assert conflict["data"]["it"]["code"] == "conflict"


@pytest.mark.parametrize("mutation", first_by_day(LISTS, "the list of another mutation", by_day=3))
async def test_what_may_be_read_but_not_changed_refuses_the_whole_list(api: Api, mutation: str) -> None:
    reader, owner = api.client(), api.client("owner")
    await reader.run("{ me { orgId } }")
    mine, theirs = await owned(reader), await owned(owner)
    home = (await owner.run("{ me { homeSpace { id } } }"))["me"]["homeSpace"]["id"]
    actor = {"kind": "AGENT", "key": "bot"}
    maintainer = api.client("owner", roles=("maintainer", "writer"))
    body = await maintainer.run(
        problem_mutation("grantAccess"), input={"space": home, "actor": actor, "permission": "READ"}
    )
    assert body["it"]["__typename"] != "Problem", body
    entries = [entry_of(mutation, own) for own in (mine, theirs)]
    before = await api.world.rows(FACTS)

    problem = (await send(reader, mutation, entries))["data"]["it"]

    where = f"{LISTS[mutation][0]}[1].{id_of(mutation)}"
    assert (problem.get("code"), problem.get("field")) == ("forbidden", where), problem
    assert await api.world.rows(FACTS) == before


@NIGHTLY
async def test_an_update_of_goals_has_the_rules_of_one_goal(api: Api) -> None:
    """Trees stay trees, also through the entries of one call; what changes nothing makes no version."""
    client = api.client()
    first, second, third = [(await owned(client)).goal for _ in range(3)]

    cycle = await send(
        client,
        "updateGoals",
        [{"id": first, "parentGoalId": second}, {"id": second, "parentGoalId": first}],
    )
    assert refused(cycle) == {"goals[1].parentGoalId"}
    changed = [
        {"id": third, "parentGoalId": second, "title": "leaf"},
        {"id": second, "parentGoalId": first, "priority": 4, "description": "d"},
        {"id": first, "goalType": "root", "priority": "low"},
    ]
    assert refused(await send(client, "updateGoals", changed)) is None
    query = """query ($id: ID!) { goal(id: $id) { title priority description goalType version
        lineage { nodes { id } } } }"""
    leaf = (await client.run(query, id=third))["goal"]
    assert (leaf["title"], leaf["version"]) == ("leaf", 2)
    assert [node["id"] for node in leaf["lineage"]["nodes"]] == [second, first]
    middle = (await client.run(query, id=second))["goal"]
    assert (middle["priority"], middle["description"], middle["version"]) == ("critical", "d", 2)
    # An entry that changes nothing makes no version.
    assert refused(await send(client, "updateGoals", [{"id": first, "priority": "1"}])) is None
    assert (await client.run(query, id=first))["goal"]["version"] == 2


async def test_links_of_several_goals_count_once_for_each(api: Api) -> None:
    client = api.client()
    one, two = await owned(client), await owned(client)
    both = [{"observationId": o, "goalId": one.goal} for o in (one.observation, two.observation)]
    query = """mutation ($input: LinkObservationsInput!) { linkObservations(input: $input) {
        ... on LinkObservationsPayload { results { goal { id } before after } }
        ... on Problem { code field } } }"""

    links = [both[0], {"observationId": one.observation, "goalId": two.goal}, both[1]]
    done = (await client.run(query, input={"links": links}))["linkObservations"]["results"]

    # 0.1 times the confidence of 0.95 for each observation; one result for each goal.
    assert done == [
        {"goal": {"id": one.goal}, "before": 0.0, "after": 0.19},
        {"goal": {"id": two.goal}, "before": 0.0, "after": 0.095},
    ]
    again = (await client.run(query, input={"links": links}))["linkObservations"]["results"]
    assert [each["before"] == each["after"] for each in again] == [True, True]
    twice = (await client.run(query, input={"links": [both[0], both[0]]}))["linkObservations"]
    assert (twice["code"], twice["field"]) == ("invalid", "links[1].observationId")
    gone = "obs_00000000000000000000000000"
    links = [both[0], {"observationId": one.observation, "goalId": two.goal}]
    links.append({"observationId": gone, "goalId": one.goal})
    missing = (await client.run(query, input={"links": links}))["linkObservations"]
    assert (missing["code"], missing["field"]) == ("not_found", "links[2].observationId")


@NIGHTLY
async def test_actions_move_in_their_order_and_each_passes_its_gates(api: Api) -> None:
    """What an earlier entry ends blocks no more; a person's gate stays closed in a list as well."""
    goal = (await call(api, "createGoal", title="g"))["goal"]["id"]
    task = (await new_action(api, type="agent_task", goalId=goal))["id"]
    blocker = (await new_action(api, type="agent_task", goalId=goal, blocking=True))["id"]
    client = api.client()
    move = "transitionPendingActions"
    start, end = {"id": task, "status": "in_progress"}, {"id": blocker, "status": "completed"}

    body = (await send(client, move, [start, end]))["data"]["it"]
    assert (body["code"], body["field"]) == ("blocked", "actions[0].id")
    assert refused(await send(client, move, [end, start])) is None
    statuses = "query ($id: ID!) { node(id: $id) { ... on PendingAction { status version } } }"
    assert (await client.run(statuses, id=task))["node"] == {"status": "in_progress", "version": 2}
    # Cancelled and completed in one call: the second entry of the same action is refused.
    twice = await send(client, move, [{"id": task, "status": "blocked"}, {"id": task, "status": "pending"}])
    assert refused(twice) == {"actions[1].id"}
    # A second start is a conflict, and nothing of the list is done.
    third = (await new_action(api, type="agent_task"))["id"]
    claimed = (await send(client, move, [{"id": third, "status": "in_progress"}, start]))["data"]["it"]
    assert (claimed["code"], claimed["field"]) == ("conflict", "actions[1].status")
    assert (await client.run(statuses, id=third))["node"] == {"status": "pending", "version": 1}
    space = await shared(api)
    errand = (
        await call(
            api, "upsertPendingActions", ANN, space=space, actions=[{"title": "sign", "type": "user_task"}]
        )
    )["results"][0]["action"]["id"]
    person = (
        await send(
            client, move, [{"id": third, "status": "in_progress"}, {"id": errand, "status": "completed"}]
        )
    )["data"]["it"]
    assert (person["code"], person["field"]) == ("owner_violation", "actions[1].id")
    assert (await client.run(statuses, id=third))["node"] == {"status": "pending", "version": 1}
    # Reported again: nothing changes, and the answer says so.
    query = """mutation ($input: TransitionPendingActionsInput!) { transitionPendingActions(input: $input) {
        ... on TransitionPendingActionsPayload { results { action { id status } repeated } } } }"""
    sent = [{"id": blocker, "status": "completed"}, {"id": third, "status": "cancelled"}]
    done = (await client.run(query, input={"actions": sent}))["transitionPendingActions"]["results"]
    assert done == [
        {"action": {"id": blocker, "status": "completed"}, "repeated": True},
        {"action": {"id": third, "status": "cancelled"}, "repeated": False},
    ]


CONFLICTS = "{ observations { nodes { content conflicts { nodes { observations { content } } } } } }"


async def test_new_texts_are_compared_with_each_other_and_with_the_others(api: Api) -> None:
    """Of two observations that one call changes, neither is compared with the old text of the other."""
    client = api.client()
    uids = []
    for content in ("The shop opens at 8", "The shop opens at 8.", "Ann likes tea"):
        added = await client.run(
            """mutation ($text: String!) { addObservation(input: {content: $text, evaluate: false}) {
                ... on AddObservationPayload { observation { id } } } }""",
            text=content,
        )
        uids.append(added["addObservation"]["observation"]["id"])

    async def change(*texts: str | None) -> None:
        entries = [
            {"id": uid, "content": text} for uid, text in zip(uids, texts, strict=True) if text is not None
        ]
        assert refused(await send(client, "updateObservations", entries)) is None

    async def pairs() -> set[frozenset[str]]:
        nodes = (await client.run(CONFLICTS))["observations"]["nodes"]
        return {
            frozenset(each["content"] for each in conflict["observations"])
            for node in nodes
            for conflict in node["conflicts"]["nodes"]
        }

    await change("The shop opens at 9", None, None)
    assert await pairs() == {frozenset({"The shop opens at 9", "The shop opens at 8."})}
    await change("The shop opens at 10", "The shop opens at 10.", None)
    assert await pairs() == set()
    await change("The shop opens at 7", "The shop opens at 6", "The shop opens at 5")
    assert await pairs() == {
        frozenset({f"The shop opens at {one}", f"The shop opens at {other}"})
        for one, other in ((7, 6), (7, 5), (6, 5))
    }


@pytest.mark.covers("GOAL-57")
async def test_a_list_of_resolved_observations_lets_withheld_evidence_count(api: Api) -> None:
    client = api.client()
    added = await client.run(
        """mutation { addObservations(input: {evaluate: false, observations: [
            {content: "The shop opens at 8", confidence: 1},
            {content: "The shop opens at 9", confidence: 1}]}) {
            ... on AddObservationsPayload { observations { id } } } }"""
    )
    first, second = [each["id"] for each in added["addObservations"]["observations"]]
    goal = (await owned(client)).goal
    links = [{"observationId": uid, "goalId": goal} for uid in (first, second)]
    assert refused(await send(client, "linkObservations", links)) is None
    progress = "query ($id: ID!) { goal(id: $id) { progress } }"
    assert (await client.run(progress, id=goal))["goal"] == {"progress": 0.0}

    assert refused(await send(client, "resolveObservations", [{"id": first}])) is None

    # The contradiction has ended: the one that is still active counts.
    assert (await client.run(progress, id=goal))["goal"] == {"progress": 0.1}
