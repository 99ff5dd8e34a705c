"""Input that is wrong: a code, the field as the client spells it, nothing written.

Here is what the inputs of GraphQL do themselves. Texts, numbers and priorities that are meant to break a
field are tried in every input by test_every_input, test_extreme_numbers and test_priorities; each rule of a
field is tried in `tests/graph`.
"""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.api.conftest import Api, Client

PROBLEM = "{ __typename ... on Problem { code message field problems { code field } } }"
NAMES = {
    "addObservation": "AddObservationInput",
    "addObservations": "AddObservationsInput",
    "createGoal": "CreateGoalInput",
    "assembleContext": "AssembleContextInput",
    "evaluateScratchPage": "EvaluateScratchPageInput",
}
HALF = "half \ud800"
LONG = "k" * 201


def deep(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"a": value}
    return value


def second(**fields: Any) -> dict[str, Any]:
    """Two observations, the second of which is wrong."""
    return {"observations": [{"content": "fine"}, {"content": "c", **fields}]}


def action(**fields: Any) -> dict[str, Any]:
    return {"title": "t", "pendingActions": [{"type": "research", "title": "a"}, {"title": "b", **fields}]}


def context(**fields: Any) -> dict[str, Any]:
    return {"prompt": "p", "budget": 100, **fields}


def founded(**fields: Any) -> dict[str, Any]:
    """A review that says what its goal is."""
    return {"goal": {"title": "t", **fields}}


# What GraphQL itself refuses: the answer is an error of the request, not a Problem.
MISTYPED: list[tuple[str, dict[str, Any], str]] = [
    ("addObservation", {}, "content"),
    ("addObservation", {"content": None}, "content"),
    ("addObservation", {"content": 5}, "content"),
    ("addObservation", {"content": "c", "bogus": 1}, "bogus"),
    ("addObservation", {"content": "c", "confidence": "0.5"}, "confidence"),
    ("addObservation", {"content": "c", "confidence": True}, "confidence"),
    ("addObservation", {"content": "c", "ttlMinutes": 10**400}, "ttlMinutes"),
    ("addObservation", {"content": "c", "source": {"kind": "ROBOT"}}, "source.kind"),
    ("addObservation", {"content": "c", "source": {"kind": HALF}}, "source.kind"),
    ("addObservation", {"content": "c", "source": {"timestamp": "yesterday"}}, "source.timestamp"),
    ("addObservation", {"content": "c", "source": {"timestamp": 5}}, "source.timestamp"),
    ("addObservation", {"content": "c", "context": []}, "context"),
    ("addObservation", {"content": "c", "tags": ["fine", {}]}, "tags[1]"),
    ("addObservations", {"observations": [{"content": "c"}, {}]}, "observations[1].content"),
    ("addObservations", second(confidence=math.nan), "observations[1].confidence"),
    ("addObservations", second(nope=1), "observations[1].nope"),
    ("addObservations", {"observations": [None]}, "observations[0]"),
    ("createGoal", action(owner="SERVER"), "pendingActions[1].owner"),
    ("createGoal", {"title": "t", "derivedFrom": [{}]}, "derivedFrom[0]"),
    ("assembleContext", context(budget=1.5), "budget"),
    ("assembleContext", context(budget=2**31), "budget"),
    ("assembleContext", context(constraints={"maxItems": "5"}), "constraints.maxItems"),
    ("evaluateScratchPage", {"goal": {}}, "goal.title"),
    ("evaluateScratchPage", founded(pendingActions=[{"owner": "SERVER"}]), "goal.pendingActions[0].owner"),
]

# What our rules refuse: a Problem.
BROKEN: list[tuple[str, dict[str, Any], str, str]] = [
    ("addObservation", {"content": ""}, "invalid", "content"),
    ("addObservation", {"content": "a" * 1_000_000}, "too_large", "content"),
    ("addObservation", {"content": "c", "confidence": 1.01}, "invalid", "confidence"),
    ("addObservation", {"content": "c", "source": {"tool": "a", "daemon": "b"}}, "invalid", "source"),
    ("addObservation", {"content": "c", "source": {"kind": "DAEMON", "tool": "a"}}, "invalid", "source.kind"),
    ("addObservation", {"content": "c", "source": {"daemon": LONG}}, "too_large", "source.daemon"),
    (
        "addObservation",
        {"content": "c", "source": {"timestamp": "2026-01-01T00:00:00"}},
        "invalid",
        "source.timestamp",
    ),
    ("addObservation", {"content": "c", "metadata": "text"}, "invalid", "metadata"),
    ("addObservation", {"content": "c", "metadata": {"a": [math.inf]}}, "invalid", "metadata"),
    ("addObservation", {"content": "c", "metadata": deep(200)}, "too_large", "metadata"),
    ("addObservation", {"content": "c", "idempotencyKey": LONG}, "too_large", "idempotencyKey"),
    ("addObservation", {"content": "c", "space": HALF}, "not_found", "space"),
    ("addObservations", second(source={"tool": ""}), "invalid", "observations[1].source.tool"),
    ("addObservations", second(source={"tool": "a", "name": "b"}), "invalid", "observations[1].source"),
    ("createGoal", {"title": "t", "metrics": deep(40)}, "too_large", "metrics"),
    (
        "createGoal",
        {"title": "t", "evidence": [{"observationId": "o", "confidence": 2}]},
        "invalid",
        "evidence[0].confidence",
    ),
    (
        "createGoal",
        action(type="research", actionType="decision"),
        "invalid",
        "pendingActions[1].actionType",
    ),
    ("createGoal", action(owner="USER", assignedTo="AGENT"), "invalid", "pendingActions[1].assignedTo"),
    ("createGoal", action(actionType=LONG), "too_large", "pendingActions[1].actionType"),
    (
        "createGoal",
        action(actionType="user_task", assignedTo="AGENT"),
        "invalid",
        "pendingActions[1].assignedTo",
    ),
    ("assembleContext", context(constraints={"minConfidence": 1.5}), "invalid", "constraints.minConfidence"),
    ("evaluateScratchPage", {"observationIds": ["o"] * 501}, "too_large", "observationIds"),
    ("evaluateScratchPage", {"observationIds": ["o", HALF]}, "invalid", "observationIds[1]"),
    ("evaluateScratchPage", {"observationIds": ["o"]}, "not_found", "observationIds[0]"),
    ("evaluateScratchPage", {"first": 501}, "invalid", "first"),
    ("evaluateScratchPage", {"after": "zzz"}, "invalid", "after"),
    ("evaluateScratchPage", {"turnId": HALF}, "invalid", "turnId"),
    ("evaluateScratchPage", founded(title=" \u3000"), "invalid", "goal.title"),
    (
        "evaluateScratchPage",
        founded(pendingActions=[{"title": "a"}, {"title": ""}]),
        "invalid",
        "goal.pendingActions[1].title",
    ),
    (
        "evaluateScratchPage",
        founded(pendingActions=[{"title": "a", "actionType": LONG}]),
        "too_large",
        "goal.pendingActions[0].actionType",
    ),
]


def ids(rows: list[Any]) -> list[str]:
    return [f"{number}-{row[0]}-{row[-1]}" for number, row in enumerate(rows)]


def mutation(name: str) -> str:
    return f"mutation ($input: {NAMES[name]}!) {{ it: {name}(input: $input) {PROBLEM} }}"


async def known(api: Api) -> Client:
    """A client whose actor is there already, so that counts stand still."""
    client = api.client()
    await client.run("{ me { orgId } }")
    return client


@pytest.mark.covers("OBS-07")
@pytest.mark.parametrize(("name", "given", "field"), MISTYPED, ids=ids(MISTYPED))
async def test_what_is_of_the_wrong_type_is_a_coded_error_that_names_the_field(
    api: Api, name: str, given: dict[str, Any], field: str
) -> None:
    client = await known(api)
    before = await api.world.counts()
    errors = await client.errors(mutation(name), input=given)
    assert {error["extensions"]["code"] for error in errors} == {"invalid"}
    assert [error["extensions"]["field"] for error in errors] == [field]
    assert await api.world.counts() == before


@pytest.mark.covers("OBS-07")
@pytest.mark.parametrize(("name", "given", "code", "field"), BROKEN, ids=ids(BROKEN))
async def test_what_breaks_a_rule_is_a_problem_that_names_the_field(
    api: Api, name: str, given: dict[str, Any], code: str, field: str
) -> None:
    client = await known(api)
    before = await api.world.counts()
    problem = (await client.run(mutation(name), input=given))["it"]
    assert problem["__typename"] == "Problem"
    assert (problem["code"], problem["field"]) == (code, field)
    assert {"code": code, "field": field} in problem["problems"]
    assert len(problem["message"]) < 200
    assert await api.world.counts() == before


async def test_several_complaints_come_at_once(api: Api) -> None:
    given = second(tags=["", "fine"], source={"tool": ""}, clientKey="")
    problem = (await api.client().run(mutation("addObservations"), input=given))["it"]
    assert [item["field"] for item in problem["problems"]] == [
        "observations[1].tags[0]",
        "observations[1].source.tool",
        "observations[1].clientKey",
    ]
    assert problem["message"].endswith("(and 2 more)")


@pytest.mark.parametrize(
    ("name", "given", "fields"),
    [
        (
            "addObservations",
            {"observations": [{"content": "a", "confidence": 2}, {"content": "b", "ttlMinutes": -1}]},
            ["observations[0].confidence", "observations[1].ttlMinutes"],
        ),
        (
            "commitAtTurnEnd",
            {
                "turnId": "t",
                "progress": [{"goalId": "goal_x", "delta": 7}],
                "newActions": [{"title": "a", "effort": -1}],
                "completedActions": [{"id": "act_x", "result": "none"}],
            },
            ["progress[0].delta", "newActions[0].effort", "completedActions[0].result"],
        ),
    ],
)
async def test_values_of_the_wrong_form_are_told_of_all_entries_at_once(
    api: Api, name: str, given: dict[str, Any], fields: list[str]
) -> None:
    client = await known(api)
    before = await api.world.counts()
    kind = f"{name[0].upper()}{name[1:]}Input"
    query = f"mutation ($input: {kind}!) {{ it: {name}(input: $input) {PROBLEM} }}"
    problem = (await client.run(query, input=given))["it"]
    assert [item["field"] for item in problem["problems"]] == fields
    assert await api.world.counts() == before


async def test_a_key_with_another_body_is_a_conflict(api: Api) -> None:
    client = await known(api)
    done = (await client.run(mutation("createGoal"), input={"title": "a", "idempotencyKey": "k"}))["it"]
    assert done["__typename"] != "Problem"
    before = await api.world.counts()
    problem = (await client.run(mutation("createGoal"), input={"title": "b", "idempotencyKey": "k"}))["it"]
    assert (problem["code"], problem["field"]) == ("conflict", "idempotencyKey")
    assert await api.world.counts() == before


QUERIES: list[tuple[str, dict[str, Any], str]] = [
    ("query ($n: Int) { observations(first: $n) { nodes { id } } }", {"n": 101}, "first"),
    ("query ($n: Int) { goals(first: $n) { nodes { id } } }", {"n": -1}, "first"),
    ('query ($n: Int) { turnTrace(turnId: "t", first: $n) { nodes { id } } }', {"n": 0}, "first"),
    ("query ($n: Int) { trace(first: $n) { nodes { id } } }", {"n": 101}, "first"),
    ("query ($n: Int!) { activeGoals(limit: $n) { id } }", {"n": 101}, "limit"),
    ('query ($n: Int) { goalLineage(id: "x", depth: $n) { depth } }', {"n": 21}, "depth"),
    ("query ($c: String) { observations(after: $c) { nodes { id } } }", {"c": "zzz"}, "after"),
    ("query ($c: String) { goals(after: $c) { nodes { id } } }", {"c": HALF}, "after"),
    ("query ($f: ObservationFilterInput) { observations(filter: $f) { totalCount } }",
     {"f": {"minConfidence": 7}}, "filter.minConfidence"),
    ("query ($f: ObservationFilterInput) { observations(filter: $f) { totalCount } }",
     {"f": {"tags": ["a", ""]}}, "filter.tags[1]"),
    ("query ($f: GoalFilterInput) { goals(filter: $f) { totalCount } }", {"f": {"goalType": HALF}},
     "filter.goalType"),
    ("query ($t: String!) { turn(id: $t) { id } }", {"t": HALF}, "id"),
    ("query ($t: String!) { turnTrace(turnId: $t) { nodes { id } } }", {"t": HALF}, "turnId"),
    ("query ($t: String!) { contextReceipt(turnId: $t) { id } }", {"t": HALF}, "turnId"),
    ("query ($i: ContextInput!) { previewContext(input: $i) { text } }", {"i": context(budget=-1)}, "budget"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "variables", "field"), QUERIES, ids=range(len(QUERIES)))
async def test_a_query_out_of_range_is_a_coded_error_that_names_the_argument(
    api: Api, query: str, variables: dict[str, Any], field: str
) -> None:
    client = await known(api)
    before = await api.world.counts()
    errors = await client.errors(query, **variables)
    assert {(e["extensions"]["code"], e["extensions"]["field"]) for e in errors} == {("invalid", field)}
    assert await api.world.counts() == before
