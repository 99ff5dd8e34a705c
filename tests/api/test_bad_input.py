"""Every mutation against input that is wrong: a code, the field as the client spells it, nothing written."""

from __future__ import annotations

import base64
import json
import math
from typing import Any

import pytest

from tests.api.conftest import Api, Client

PROBLEM = "{ __typename ... on Problem { code message field problems { code field } } }"
NAMES = {
    "addObservation": "AddObservationInput",
    "addObservations": "AddObservationsInput",
    "createGoal": "CreateGoalInput",
    "remember": "RememberInput",
    "assembleContext": "AssembleContextInput",
    "createSpace": "CreateSpaceInput",
    "grantAccess": "GrantAccessInput",
    "revokeAccess": "RevokeAccessInput",
    "evaluateScratchPage": "EvaluateScratchPageInput",
}
MEGABYTE = "a" * 1_000_000
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


GRANT = {"space": "s", "actor": {"kind": "AGENT", "key": "bot"}, "permission": "READ"}

# What GraphQL itself refuses: the answer is an error of the request, not a Problem.
MISTYPED: list[tuple[str, dict[str, Any], str]] = [
    ("addObservation", {}, "content"),
    ("addObservation", {"content": None}, "content"),
    ("addObservation", {"content": 5}, "content"),
    ("addObservation", {"content": "c", "bogus": 1}, "bogus"),
    ("addObservation", {"content": "c", "confidence": "0.5"}, "confidence"),
    ("addObservation", {"content": "c", "confidence": True}, "confidence"),
    ("addObservation", {"content": "c", "confidence": math.nan}, "confidence"),
    ("addObservation", {"content": "c", "confidence": math.inf}, "confidence"),
    ("addObservation", {"content": "c", "confidence": -math.inf}, "confidence"),
    ("addObservation", {"content": "c", "ttlMinutes": 10**400}, "ttlMinutes"),
    ("addObservation", {"content": "c", "source": {"kind": "ROBOT"}}, "source.kind"),
    ("addObservation", {"content": "c", "source": {"kind": HALF}}, "source.kind"),
    ("addObservation", {"content": "c", "source": {"timestamp": "yesterday"}}, "source.timestamp"),
    ("addObservation", {"content": "c", "source": {"timestamp": 5}}, "source.timestamp"),
    ("addObservation", {"content": "c", "context": []}, "context"),
    ("addObservation", {"content": "c", "tags": ["fine", {}]}, "tags[1]"),
    ("addObservation", {"content": "c", "clientKey": 5}, "clientKey"),
    ("addObservations", {"observations": [{"content": "c"}, {}]}, "observations[1].content"),
    ("addObservations", second(confidence=math.nan), "observations[1].confidence"),
    ("addObservations", second(nope=1), "observations[1].nope"),
    ("addObservations", {"observations": [None]}, "observations[0]"),
    ("createGoal", {"title": ["t"]}, "title"),
    ("createGoal", {"title": "t", "horizon": {"value": 1, "unit": "YEARS"}}, "horizon.unit"),
    ("createGoal", {"title": "t", "horizon": {"value": 1}}, "horizon.unit"),
    ("createGoal", {"title": "t", "horizon": {"value": "1", "unit": "DAYS"}}, "horizon.value"),
    ("createGoal", {"title": "t", "evidence": [{}]}, "evidence[0].observationId"),
    ("createGoal", action(owner="SERVER"), "pendingActions[1].owner"),
    ("createGoal", action(assignedTo="nobody"), "pendingActions[1].assignedTo"),
    ("createGoal", action(dueAt="soon"), "pendingActions[1].dueAt"),
    ("createGoal", action(blocking="yes"), "pendingActions[1].blocking"),
    ("createGoal", {"title": "t", "derivedFrom": [{}]}, "derivedFrom[0]"),
    ("remember", {"memories": [{"kind": "RUMOUR", "content": "c"}]}, "memories[0].kind"),
    ("remember", {"memories": [{"kind": "MANDATE"}]}, "memories[0].content"),
    (
        "remember",
        {"memories": [{"kind": "MANDATE", "content": "c", "essential": 1}]},
        "memories[0].essential",
    ),
    ("assembleContext", {"prompt": "p"}, "budget"),
    ("assembleContext", context(budget=1.5), "budget"),
    ("assembleContext", context(budget="100"), "budget"),
    ("assembleContext", context(budget=2**31), "budget"),
    ("assembleContext", context(constraints={"maxItems": "5"}), "constraints.maxItems"),
    ("createSpace", {"name": {}}, "name"),
    ("grantAccess", {**GRANT, "permission": "OWN"}, "permission"),
    ("grantAccess", {**GRANT, "actor": {"kind": "CAT", "key": "k"}}, "actor.kind"),
    ("grantAccess", {**GRANT, "actor": {"kind": "AGENT"}}, "actor.key"),
    ("revokeAccess", {"space": "s", "actor": "bot"}, "actor"),
    ("evaluateScratchPage", {"observationIds": ["o", {}]}, "observationIds[1]"),
    ("evaluateScratchPage", {"observationIds": [None]}, "observationIds[0]"),
    ("evaluateScratchPage", {"first": "5"}, "first"),
    ("evaluateScratchPage", {"first": 2**31}, "first"),
    ("evaluateScratchPage", {"bogus": 1}, "bogus"),
    ("evaluateScratchPage", {"goal": {}}, "goal.title"),
    ("evaluateScratchPage", {"goal": {"title": 5}}, "goal.title"),
    ("evaluateScratchPage", founded(evidence=[]), "goal.evidence"),
    ("evaluateScratchPage", founded(pendingActions=[{"owner": "SERVER"}]), "goal.pendingActions[0].owner"),
]

# What our rules refuse: a Problem.
BROKEN: list[tuple[str, dict[str, Any], str, str]] = [
    ("addObservation", {"content": ""}, "invalid", "content"),
    ("addObservation", {"content": " \t\u3000"}, "invalid", "content"),
    ("addObservation", {"content": MEGABYTE}, "too_large", "content"),
    ("addObservation", {"content": HALF}, "invalid", "content"),
    ("addObservation", {"content": "c", "confidence": 1.01}, "invalid", "confidence"),
    ("addObservation", {"content": "c", "ttlMinutes": -1}, "invalid", "ttlMinutes"),
    ("addObservation", {"content": "c", "ttlMinutes": 1e300}, "invalid", "ttlMinutes"),
    ("addObservation", {"content": "c", "type": ""}, "invalid", "type"),
    ("addObservation", {"content": "c", "tags": [f"t{n}" for n in range(10_000)]}, "too_large", "tags"),
    ("addObservation", {"content": "c", "tags": ["fine", HALF]}, "invalid", "tags[1]"),
    ("addObservation", {"content": "c", "source": {"tool": "a", "daemon": "b"}}, "invalid", "source"),
    ("addObservation", {"content": "c", "source": {"kind": "DAEMON", "tool": "a"}}, "invalid", "source.kind"),
    ("addObservation", {"content": "c", "source": {"tool": ""}}, "invalid", "source.tool"),
    ("addObservation", {"content": "c", "source": {"daemon": LONG}}, "too_large", "source.daemon"),
    ("addObservation", {"content": "c", "source": {"name": " "}}, "invalid", "source.name"),
    (
        "addObservation",
        {"content": "c", "source": {"timestamp": "2026-01-01T00:00:00"}},
        "invalid",
        "source.timestamp",
    ),
    ("addObservation", {"content": "c", "metadata": [1]}, "invalid", "metadata"),
    ("addObservation", {"content": "c", "metadata": "text"}, "invalid", "metadata"),
    ("addObservation", {"content": "c", "metadata": {"a": math.nan}}, "invalid", "metadata"),
    ("addObservation", {"content": "c", "metadata": {"a": [math.inf]}}, "invalid", "metadata"),
    ("addObservation", {"content": "c", "metadata": {"a": HALF}}, "invalid", "metadata"),
    ("addObservation", {"content": "c", "metadata": {HALF: 1}}, "invalid", "metadata"),
    ("addObservation", {"content": "c", "metadata": {"a": "x" * 20_001}}, "too_large", "metadata"),
    ("addObservation", {"content": "c", "metadata": deep(200)}, "too_large", "metadata"),
    ("addObservation", {"content": "c", "turnId": ""}, "invalid", "turnId"),
    ("addObservation", {"content": "c", "idempotencyKey": ""}, "invalid", "idempotencyKey"),
    ("addObservation", {"content": "c", "idempotencyKey": LONG}, "too_large", "idempotencyKey"),
    ("addObservation", {"content": "c", "idempotencyKey": HALF}, "invalid", "idempotencyKey"),
    ("addObservation", {"content": "c", "space": HALF}, "not_found", "space"),
    ("addObservations", {"observations": []}, "invalid", "observations"),
    ("addObservations", {"observations": [{"content": "c"}] * 1_001}, "too_large", "observations"),
    ("addObservations", second(confidence=-0.1), "invalid", "observations[1].confidence"),
    ("addObservations", second(source={"tool": ""}), "invalid", "observations[1].source.tool"),
    ("addObservations", second(source={"tool": "a", "name": "b"}), "invalid", "observations[1].source"),
    ("addObservations", second(metadata=[]), "invalid", "observations[1].metadata"),
    ("addObservations", second(context={"goalKey": HALF}), "invalid", "observations[1].context.goalKey"),
    ("createGoal", {"title": ""}, "invalid", "title"),
    ("createGoal", {"title": MEGABYTE}, "too_large", "title"),
    ("createGoal", {"title": HALF}, "invalid", "title"),
    ("createGoal", {"title": "t", "description": MEGABYTE}, "too_large", "description"),
    ("createGoal", {"title": "t", "goalType": " "}, "invalid", "goalType"),
    ("createGoal", {"title": "t", "priority": "urgent"}, "invalid", "priority"),
    ("createGoal", {"title": "t", "priority": "5"}, "invalid", "priority"),
    ("createGoal", {"title": "t", "horizon": {"value": 0, "unit": "DAYS"}}, "invalid", "horizon.value"),
    ("createGoal", {"title": "t", "metrics": [1]}, "invalid", "metrics"),
    ("createGoal", {"title": "t", "metrics": deep(40)}, "too_large", "metrics"),
    ("createGoal", {"title": "t", "constraints": ["fine", ""]}, "invalid", "constraints[1]"),
    ("createGoal", {"title": "t", "milestones": [{"title": ""}]}, "invalid", "milestones[0].title"),
    (
        "createGoal",
        {"title": "t", "milestones": [{"title": "m", "reachedAt": "2026-01-01T00:00:00"}]},
        "invalid",
        "milestones[0].reachedAt",
    ),
    (
        "createGoal",
        {"title": "t", "evidence": [{"observationId": ""}]},
        "invalid",
        "evidence[0].observationId",
    ),
    (
        "createGoal",
        {"title": "t", "evidence": [{"observationId": "o", "confidence": 2}]},
        "invalid",
        "evidence[0].confidence",
    ),
    ("createGoal", {"title": "t", "derivedFrom": ["g", "g"]}, "invalid", "derivedFrom[1]"),
    ("createGoal", {"title": "t", "parentGoalId": HALF}, "invalid", "parentGoalId"),
    (
        "createGoal",
        action(type="research", actionType="decision"),
        "invalid",
        "pendingActions[1].actionType",
    ),
    ("createGoal", action(owner="USER", assignedTo="AGENT"), "invalid", "pendingActions[1].assignedTo"),
    ("createGoal", action(actionType=LONG), "too_large", "pendingActions[1].actionType"),
    ("createGoal", action(type=LONG), "too_large", "pendingActions[1].type"),
    (
        "createGoal",
        action(actionType="user_task", assignedTo="AGENT"),
        "invalid",
        "pendingActions[1].assignedTo",
    ),
    ("createGoal", action(type="user_task", owner="AGENT"), "invalid", "pendingActions[1].owner"),
    ("createGoal", action(effort=0), "invalid", "pendingActions[1].effort"),
    ("createGoal", action(dueAt="2026-01-01T00:00:00"), "invalid", "pendingActions[1].dueAt"),
    ("createGoal", action(metadata=[]), "invalid", "pendingActions[1].metadata"),
    ("createGoal", action(priority="soon"), "invalid", "pendingActions[1].priority"),
    ("createGoal", action(title=""), "invalid", "pendingActions[1].title"),
    ("createGoal", {"title": "t", "pendingActions": [{"title": "a"}] * 101}, "too_large", "pendingActions"),
    ("createGoal", {"title": "t", "idempotencyKey": ""}, "invalid", "idempotencyKey"),
    ("remember", {"memories": []}, "invalid", "memories"),
    ("remember", {"memories": [{"kind": "MANDATE", "content": "c"}] * 501}, "too_large", "memories"),
    ("remember", {"memories": [{"kind": "MANDATE", "content": ""}]}, "invalid", "memories[0].content"),
    (
        "remember",
        {"memories": [{"kind": "CAPABILITY", "content": MEGABYTE}]},
        "too_large",
        "memories[0].content",
    ),
    ("remember", {"memories": [{"kind": "MANDATE", "content": HALF}]}, "invalid", "memories[0].content"),
    (
        "remember",
        {"memories": [{"kind": "MANDATE", "content": "c"}], "idempotencyKey": ""},
        "invalid",
        "idempotencyKey",
    ),
    ("assembleContext", context(prompt=""), "invalid", "prompt"),
    ("assembleContext", context(prompt=MEGABYTE), "too_large", "prompt"),
    ("assembleContext", context(prompt=HALF), "invalid", "prompt"),
    ("assembleContext", context(budget=-1), "invalid", "budget"),
    ("assembleContext", context(budget=2**31 - 1), "invalid", "budget"),
    ("assembleContext", context(constraints={"maxItems": -1}), "invalid", "constraints.maxItems"),
    ("assembleContext", context(constraints={"minConfidence": 1.5}), "invalid", "constraints.minConfidence"),
    ("assembleContext", context(turnId=""), "invalid", "turnId"),
    ("assembleContext", context(turnId=LONG), "too_large", "turnId"),
    ("assembleContext", context(idempotencyKey=""), "invalid", "idempotencyKey"),
    ("createSpace", {"name": ""}, "invalid", "name"),
    ("createSpace", {"name": MEGABYTE}, "too_large", "name"),
    ("createSpace", {"name": HALF}, "invalid", "name"),
    ("createSpace", {"name": "n", "idempotencyKey": ""}, "invalid", "idempotencyKey"),
    ("evaluateScratchPage", {"observationIds": []}, "invalid", "observationIds"),
    ("evaluateScratchPage", {"observationIds": ["o"] * 501}, "too_large", "observationIds"),
    ("evaluateScratchPage", {"observationIds": ["o", HALF]}, "invalid", "observationIds[1]"),
    ("evaluateScratchPage", {"observationIds": [MEGABYTE]}, "too_large", "observationIds[0]"),
    ("evaluateScratchPage", {"observationIds": ["o"]}, "not_found", "observationIds[0]"),
    ("evaluateScratchPage", {"observationIds": [""]}, "invalid", "observationIds[0]"),
    ("evaluateScratchPage", {"space": HALF}, "not_found", "space"),
    ("evaluateScratchPage", {"space": ""}, "not_found", "space"),
    ("evaluateScratchPage", {"first": 0}, "invalid", "first"),
    ("evaluateScratchPage", {"first": 501}, "invalid", "first"),
    ("evaluateScratchPage", {"after": "zzz"}, "invalid", "after"),
    ("evaluateScratchPage", {"after": HALF}, "invalid", "after"),
    ("evaluateScratchPage", {"turnId": ""}, "invalid", "turnId"),
    ("evaluateScratchPage", {"turnId": HALF}, "invalid", "turnId"),
    ("evaluateScratchPage", {"turnId": MEGABYTE}, "too_large", "turnId"),
    ("evaluateScratchPage", {"idempotencyKey": LONG}, "too_large", "idempotencyKey"),
    ("evaluateScratchPage", founded(title=""), "invalid", "goal.title"),
    ("evaluateScratchPage", founded(title=" \u3000"), "invalid", "goal.title"),
    ("evaluateScratchPage", founded(title=MEGABYTE), "too_large", "goal.title"),
    ("evaluateScratchPage", founded(title=HALF), "invalid", "goal.title"),
    ("evaluateScratchPage", founded(description=MEGABYTE), "too_large", "goal.description"),
    ("evaluateScratchPage", founded(goalType=" "), "invalid", "goal.goalType"),
    ("evaluateScratchPage", founded(priority="urgent"), "invalid", "goal.priority"),
    ("evaluateScratchPage", founded(parentGoalId=HALF), "invalid", "goal.parentGoalId"),
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
    ("evaluateScratchPage", founded(), "invalid", "goal"),
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


@pytest.mark.parametrize("name", ["grantAccess", "revokeAccess"])
@pytest.mark.parametrize(
    "key", ["", " ", HALF, LONG, MEGABYTE], ids=["empty", "blank", "half", "long", "1MB"]
)
async def test_who_is_let_in_or_out_must_be_named_by_a_key(api: Api, name: str, key: str) -> None:
    client = await known(api)
    made = await client.run(
        'mutation { createSpace(input: {name: "s"}) { ... on CreateSpacePayload { space { id } } } }'
    )
    given = {**GRANT, "space": made["createSpace"]["space"]["id"], "actor": {"kind": "AGENT", "key": key}}
    if name == "revokeAccess":
        del given["permission"]
    before = await api.world.counts()
    problem = (await client.run(mutation(name), input=given))["it"]
    assert problem["field"] == "actor.key"
    assert problem["code"] == ("too_large" if len(key) > 200 else "invalid")
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
            "upsertPendingActions",
            {"actions": [{"title": "a", "effort": -1}, {"title": "b"}, {"title": "c", "effort": 0}]},
            ["actions[0].effort", "actions[2].effort"],
        ),
        (
            "updateProgress",
            {"deltas": [{"goalId": "goal_x", "delta": 7}, {"goalId": "goal_x", "delta": -7}]},
            ["deltas[0].delta", "deltas[1].delta"],
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


@pytest.mark.parametrize(
    ("name", "first", "then"),
    [
        ("addObservation", {"content": "a"}, {"content": "b"}),
        ("addObservations", {"observations": [{"content": "a"}]}, {"observations": [{"content": "a"}] * 2}),
        ("createGoal", {"title": "a"}, {"title": "b"}),
        (
            "remember",
            {"memories": [{"kind": "MANDATE", "content": "a"}]},
            {"memories": [{"kind": "CAPABILITY", "content": "a"}]},
        ),
        ("assembleContext", context(), context(budget=101)),
        ("createSpace", {"name": "a"}, {"name": "b"}),
        ("evaluateScratchPage", {}, {"first": 5}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_key_with_another_body_is_a_conflict(
    api: Api, name: str, first: dict[str, Any], then: dict[str, Any]
) -> None:
    client = await known(api)
    done = (await client.run(mutation(name), input={**first, "idempotencyKey": "k"}))["it"]
    assert done["__typename"] != "Problem"
    before = await api.world.counts()
    problem = (await client.run(mutation(name), input={**then, "idempotencyKey": "k"}))["it"]
    assert (problem["code"], problem["field"]) == ("conflict", "idempotencyKey")
    assert await api.world.counts() == before


def cursor(*key: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode()


QUERIES: list[tuple[str, dict[str, Any], str]] = [
    *[
        (f"query ($n: Int) {{ {name}({argument}: $n) {{ {fields} }} }}", {"n": number}, argument)
        for name, argument, fields in (
            ("observations", "first", "nodes { id }"),
            ("goals", "first", "nodes { id }"),
            ('turnTrace(turnId: "t", first: $n) { nodes { id } } x: goals', "first", "nodes { id }"),
            ("trace", "first", "nodes { id }"),
        )
        for number in (0, 101, -1, -(2**31))
    ],
    *[("query ($n: Int!) { activeGoals(limit: $n) { id } }", {"n": n}, "limit") for n in (0, 101, -1)],
    *[
        ('query ($n: Int) { goalLineage(id: "x", depth: $n) { depth } }', {"n": n}, "depth")
        for n in (0, 21, -1)
    ],
    *[
        (f"query ($c: String) {{ {name}(after: $c) {{ nodes {{ id }} }} }}", {"c": text}, "after")
        for name, good in (("observations", ["obs_1"]), ("goals", [2, "goal_1"]))
        for text in (
            "",
            "zzz",
            "\u00e9",
            "\ud800",
            cursor(),
            cursor(*good, 1),
            cursor(*[None for _ in good]),
            cursor(*[True for _ in good]),
            cursor(*["\ud800" if isinstance(part, str) else part for part in good]),
            cursor(*[2**70 if isinstance(part, int) else 5 for part in good]),
            base64.urlsafe_b64encode(b'{"a": 1}').decode(),
            base64.urlsafe_b64encode(b"[" * 50_000).decode(),
        )
    ],
    ("query ($f: ObservationFilterInput) { observations(filter: $f) { totalCount } }",
     {"f": {"minConfidence": 7}}, "filter.minConfidence"),
    ("query ($f: ObservationFilterInput) { observations(filter: $f) { totalCount } }",
     {"f": {"status": []}}, "filter.status"),
    ("query ($f: ObservationFilterInput) { observations(filter: $f) { totalCount } }",
     {"f": {"tags": ["a", ""]}}, "filter.tags[1]"),
    ("query ($f: ObservationFilterInput) { observations(filter: $f) { totalCount } }",
     {"f": {"goalId": HALF}}, "filter.goalId"),
    ("query ($f: GoalFilterInput) { goals(filter: $f) { totalCount } }",
     {"f": {"status": []}}, "filter.status"),
    ("query ($f: GoalFilterInput) { goals(filter: $f) { totalCount } }", {"f": {"goalType": HALF}},
     "filter.goalType"),
    ("query ($t: String!) { turn(id: $t) { id } }", {"t": HALF}, "id"),
    ("query ($t: String!) { turnTrace(turnId: $t) { nodes { id } } }", {"t": HALF}, "turnId"),
    ("query ($t: String!) { contextReceipt(turnId: $t) { id } }", {"t": HALF}, "turnId"),
    ("query ($i: ContextInput!) { previewContext(input: $i) { text } }", {"i": context(budget=-1)}, "budget"),
    ("query ($i: ContextInput!) { previewContext(input: $i) { text } }", {"i": context(prompt="")}, "prompt"),
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
