"""Null in every input that changes a record: it clears the field, or is refused with the field's name."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from graphql import GraphQLInputObjectType, get_named_type, is_non_null_type

from tests.api.conftest import Api, Client
from tests.api.schema_inputs import ENDS, SCHEMA, SURVEY, problem_mutation, refused
from tests.api.test_proposals import FULL
from tests.support.thinned import first_by_day

Given = dict[str, Any]
CALL = {"id", "clientKey", "space", "expectedVersion", "turnId", "idempotencyKey", "key"}
"""What says which record is meant and how the call is made: null is the same as leaving it out."""
REPORTS = {"reason", "result", "choice", "comments", "memory", "by"}
"""What a change of status says about itself, and what takes the place of a record: nothing that is kept."""
REFUSED = "refused"
"""At the field itself, or at the one that is named after a colon."""
_names = itertools.count()


async def new_id(client: Client, query: str, **variables: Any) -> str:
    """The id of the one record that a mutation returns."""
    (found,) = (await client.run(query, **variables)).values()
    while isinstance(found, dict | list):
        (found,) = found.values() if isinstance(found, dict) else found
    return str(found)


async def observation(client: Client) -> str:
    return await new_id(
        client,
        """mutation { addObservation(input: {content: "c", type: "t", confidence: 0.3, tags: ["a"],
            ttlMinutes: 9, metadata: {a: 1}, entities: [{name: "Ann"}], evaluate: false}) {
            ... on AddObservationPayload { observation { id } } } }""",
    )


async def goal(client: Client) -> str:
    plain = """mutation { createGoal(input: {title: "other"}) {
        ... on CreateGoalPayload { goal { id } } } }"""
    return await new_id(
        client,
        """mutation ($parent: ID!, $source: ID!) { createGoal(input: {title: "g", description: "d",
            goalType: "t", priority: 4, horizon: {value: 1, unit: DAYS}, metrics: {a: 1}, constraints: ["c"],
            milestones: [{title: "m"}], parentGoalId: $parent, derivedFrom: [$source]}) {
            ... on CreateGoalPayload { goal { id } } } }""",
        parent=await new_id(client, plain),
        source=await new_id(client, plain),
    )


async def action(client: Client) -> str:
    uid = await new_id(
        client,
        """mutation ($goal: ID!) { upsertPendingActions(input: {actions: [{goalId: $goal, type: "reminder",
            owner: USER, title: "a", description: "first\\nsecond", priority: "high", effort: 2,
            dueAt: "2026-12-01T00:00:00Z", blocking: true, requiresConfirmation: true, autoComplete: true,
            metadata: {a: 1}, evidenceRefs: ["r"]}]}) {
            ... on UpsertPendingActionsPayload { results { action { id } } } } }""",
        goal=await goal(client),
    )
    sent = {"actions": [{"id": uid, "result": {"a": 1}}]}
    assert refused((await client.post(problem_mutation("upsertPendingActions"), input=sent)).json()) is None
    return uid


PAIR = """mutation ($goal: ID!) { upsertQuestionStory(input: {question: {text: "q", goalId: $goal,
    priority: 1, owner: USER, tags: ["a"], status: ANSWERED}, story: {narrative: "n", status: ACTIVE}}) {
    ... on UpsertQuestionStoryPayload { %s { id } } } }"""


async def question(client: Client) -> str:
    return await new_id(client, PAIR % "question", goal=await goal(client))


async def story(client: Client) -> str:
    return await new_id(client, PAIR % "story", goal=await goal(client))


async def proposal(client: Client) -> str:
    return await new_id(
        client,
        """mutation ($input: SubmitRegistryProposalInput!) { submitRegistryProposal(input: $input) {
            ... on SubmitRegistryProposalPayload { proposal { id } } } }""",
        input={**FULL, "typeId": f"proposed_{next(_names)}"},
    )


async def kind(client: Client) -> str:
    uid = f"kind_{next(_names)}"
    for mutation, sent in (
        ("registerActionType", {"definition": {**SURVEY, "id": uid}, "approved": True}),
        ("deprecateActionType", {"id": uid, "replacedBy": "research", "note": "n", "blockNew": True}),
    ):
        body = (await client.post(problem_mutation(mutation), input=sent)).json()
        assert refused(body) is None, body
    return uid


GOAL = """{ title description goalType priority horizon { value } metrics constraints milestones { title }
    parentGoalId: parent { id } derivedFrom { nodes { id } } }"""
ACTION = """{ type title description owner priority effort dueAt person { key } blocking requiresConfirmation
    autoComplete metadata goalId: goal { id } evidenceRefs result }"""
ACTION_NULLS = {
    **dict.fromkeys(("type", "actionType", "owner", "assignedTo", "goalId"), REFUSED),
    **dict.fromkeys(("description", "effort", "dueAt", "person", "result")),
    **dict.fromkeys(("blocking", "requiresConfirmation", "autoComplete"), False),
    "title": "first",
    "priority": "medium",
    "metadata": {},
    "evidenceRefs": [],
}


@dataclass(frozen=True)
class Changing:
    """How a full record is made, changed and read, and what null makes of each of its fields."""

    make: Callable[[Client], Awaitable[str]]
    mutation: str
    path: str
    """Where the input stands in that of the mutation: `actions[0]`, or empty."""
    record: str
    nulls: Given

    def input_of(self, entry: Given) -> Given:
        if not self.path:
            return entry
        name, _, many = self.path.partition("[")
        more = {"turnId": f"t{next(_names)}"} if self.mutation in ENDS else {}
        return {name: [entry] if many else entry, **more}


QUESTION_NULLS = {
    **dict.fromkeys(("text", "status"), REFUSED),
    **dict.fromkeys(("goalId", "owner")),
    "priority": "medium",
    "tags": [],
}
QUESTION = "... on Question { text goalId: goal { id } priority owner tags status }"
OBSERVATION = """... on Observation { content type confidence tags ttlMinutes metadata
    entities { nodes { name } } }"""
CHANGING = {
    "UpdateObservationInput": Changing(
        observation,
        "updateObservation",
        "",
        OBSERVATION,
        {
            **dict.fromkeys(("content", "type", "confidence", "ttlMinutes"), REFUSED),
            "metadata": None,
            "tags": [],
            "entities": [],
        },
    ),
    "UpsertGoalInput": Changing(
        goal,
        "upsertGoal",
        "",
        f"... on Goal {GOAL}",
        {
            "title": REFUSED,
            "priority": "medium",
            **dict.fromkeys(("description", "goalType", "horizon", "metrics", "parentGoalId")),
            "constraints": [],
            "milestones": [],
            "derivedFrom": [],
        },
    ),
    "PendingActionUpsertInput": Changing(
        action, "upsertPendingActions", "actions[0]", f"... on PendingAction {ACTION}", ACTION_NULLS
    ),
    "TurnActionInput": Changing(
        action, "commitAtTurnEnd", "updatedActions[0]", f"... on PendingAction {ACTION}", ACTION_NULLS
    ),
    "QuestionInput": Changing(question, "upsertQuestionStory", "question", QUESTION, QUESTION_NULLS),
    "StoryInput": Changing(
        story,
        "upsertQuestionStory",
        "story",
        "... on Story { narrative status }",
        dict.fromkeys(("narrative", "status"), REFUSED),
    ),
    "SubmitRegistryProposalInput": Changing(
        proposal,
        "submitRegistryProposal",
        "",
        """... on RegistryProposal { proposalType subject typeId displayName description diff
            suggestedPolicies allowedStatuses allowedTransitions rationale examples risks }""",
        {
            **dict.fromkeys(("proposalType", "typeId", "rationale"), REFUSED),
            **dict.fromkeys(("displayName", "description", "diff", "suggestedPolicies")),
            # Each has to fit the other, or what the defaults have in its place.
            **dict.fromkeys(("allowedStatuses", "allowedTransitions"), "refused: allowedTransitions"),
            "subject": "ACTION_TYPE",
            "examples": [],
            "risks": [],
        },
    ),
    "DeprecateActionTypeInput": Changing(
        kind,
        "deprecateActionType",
        "",
        "",
        {"replacedBy": None, "note": None, "blockNew": False},
    ),
}
CHANGING |= {
    "TurnObservationUpdateInput": replace(
        CHANGING["UpdateObservationInput"], mutation="commitTurn", path="updatedObservations[0]"
    ),
    "ObservationUpdateInput": replace(
        CHANGING["UpdateObservationInput"], mutation="updateObservations", path="observations[0]"
    ),
    "GoalUpdateInput": replace(CHANGING["UpsertGoalInput"], mutation="updateGoals", path="goals[0]"),
}
UNCHANGED = {("SubmitRegistryProposalInput", "subject")}
"""Fields whose only value that can be changed is the default."""


def inputs(type_: GraphQLInputObjectType) -> Iterator[GraphQLInputObjectType]:
    yield type_
    for field in type_.fields.values():
        named = get_named_type(field.type)
        if isinstance(named, GraphQLInputObjectType):
            yield from inputs(named)


def nullable(type_: GraphQLInputObjectType) -> set[str]:
    return {name for name, field in type_.fields.items() if not is_non_null_type(field.type)} - CALL


def test_every_input_that_changes_a_record_is_tried_with_every_field_that_takes_null() -> None:
    assert SCHEMA.mutation_type
    changing = {
        found.name: nullable(found)
        for field in SCHEMA.mutation_type.fields.values()
        for given in [get_named_type(field.args["input"].type)]
        if isinstance(given, GraphQLInputObjectType)
        for found in inputs(given)
        if "expectedVersion" in found.fields and not nullable(found) <= REPORTS
    }
    assert changing == {name: set(each.nulls) for name, each in CHANGING.items()}


def to_input(value: Any) -> Any:
    """A list instead of a connection, a key or an id instead of a node."""
    if isinstance(value, dict) and len(value) == 1:
        (inner,) = value.values()
        return to_input(inner)
    return value


async def read(client: Client, each: Changing, uid: str) -> Given:
    if not each.record:
        query = "query ($ids: [ID!]) { actionTypes(filter: {ids: $ids}) { replacedBy { id } note blockNew } }"
        (found,) = (await client.run(query, ids=[uid]))["actionTypes"]
        return dict(found)
    node = (await client.run(f"query ($id: ID!) {{ node(id: $id) {{ {each.record} }} }}", id=uid))["node"]
    return dict(node)


@pytest.mark.slow
@pytest.mark.parametrize("name", first_by_day(CHANGING, "three ways to change a record", by_day=3))
async def test_null_clears_a_field_or_is_refused_and_changes_nothing_else(api: Api, name: str) -> None:
    """A person sends it, so that no gate of a person's stands before the rule."""
    client, each = api.client(None, person="ann", roles=("maintainer",)), CHANGING[name]
    wrong: list[str] = []
    for field, expected in each.nulls.items():
        uid = await each.make(client)
        read_as = {"actionType": "type", "assignedTo": "owner"}.get(field, field)
        before = await read(client, each, uid)
        entry = {"id": uid, field: None}
        if name == "StoryInput":
            sent = {"question": {"id": await of(client, uid)}, "story": entry}
        else:
            sent = each.input_of(entry)
        body = (await client.post(problem_mutation(each.mutation), input=sent)).json()
        after = await read(client, each, uid)
        where = f"{each.path}.{field}".removeprefix(".")
        if isinstance(expected, str) and expected.startswith(REFUSED):
            if refused(body) != {expected.partition(": ")[2] or where} or after != before:
                wrong.append(f"{field}: {body}")
            continue
        if refused(body) is not None or to_input(after.pop(read_as)) != expected:
            wrong.append(f"{field}: {body}")
        if to_input(before.pop(read_as)) == expected and (name, field) not in UNCHANGED:
            wrong.append(f"{field} had no other value before")
        if after != before:
            wrong.append(f"{field} changed {before} to {after}")
    assert wrong == []


async def of(client: Client, story_id: str) -> str:
    query = "query ($id: ID!) { node(id: $id) { ... on Story { question { id } } } }"
    return str((await client.run(query, id=story_id))["node"]["question"]["id"])


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"type": None}, None),
        ({"type": "reminder", "owner": None, "goalId": None, "title": None}, None),
    ],
)
async def test_a_repeated_upsert_with_nulls_changes_nothing(api: Api, sent: Given, field: str | None) -> None:
    """A client that writes all fields sends null for what it does not know, at the first call and later."""
    client = api.client()
    given = {"actions": [{"clientKey": "k", "description": "first\nsecond", **sent}]}
    query = """mutation ($input: UpsertPendingActionsInput!) { upsertPendingActions(input: $input) {
        ... on UpsertPendingActionsPayload { results { created action { title version }
            problem { field } } } } }"""
    answers = [(await client.run(query, input=given))["upsertPendingActions"]["results"] for _ in range(2)]
    same = {"action": {"title": "first", "version": 1}, "problem": field}
    assert answers == [[{"created": True, **same}], [{"created": False, **same}]]
