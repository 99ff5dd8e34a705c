"""A read that the database does not answer in time says so in the words of a read, and is logged."""

from __future__ import annotations

from typing import Any

import pytest
from structlog.testing import capture_logs

from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.scratch.record import ObservationDraft
from tests.api.conftest import Api
from tests.support.slowing import slow

NIGHTLY = pytest.mark.nightly("the other late reads of this file are tried with each change")

LATE = "the deadline passed before everything was read; try again, or ask for less"


def logged(logs: list[Any], event: str) -> list[tuple[str, str]]:
    return [(entry["operation"], entry["cause"]) for entry in logs if entry["event"] == event]


@NIGHTLY
async def test_a_late_query_says_nothing_about_writing_and_is_logged_with_its_fields(
    api: Api,
) -> None:
    caller = await api.world.caller()
    for title in ("Buy tea", "Buy milk"):
        await api.world.services.goals.service.create(caller, CreateGoal(title=title))
    database = api.world.services.database
    slow(
        database,
        "goals/list_children",
        "actions/rank_pending_actions",
        "search/search_memory",
        "memory/list_mandates",
    )

    with capture_logs() as logs:
        for query, path in (
            (
                """query { ...secret me { orgId } }
                fragment secret on Query { secret: goals { nodes { children { nodes { id } } } } }""",
                "secret",
            ),
            ("query { ... on Query { hidden: pendingActions { nodes { id } } } }", "hidden"),
            ('query { found: searchMemory(text: "secret") { nodes { id } } }', "found"),
            ('query { checked: checkPlan(goal: {title: "secret"}) { satisfied } }', "checked"),
        ):
            errors = await api.client().errors(query)
            assert {(error["message"], error["extensions"]["code"]) for error in errors} == {
                (LATE, "timeout")
            }
            assert {error["path"][0] for error in errors} == {path}
    told = logged(logs, "timeout")
    assert [operation for operation, _ in told] == [
        "goals",
        "pending_actions",
        "search_memory",
        "check_plan",
    ]
    assert {entry["org"] for entry in logs if entry["event"] == "timeout"} == {api.world.org}
    assert "secret" not in str(logs)
    assert "hidden" not in str(logs)


@NIGHTLY
@pytest.mark.covers("OBS-67")
async def test_a_page_of_observations_past_the_usual_deadline_is_partial_and_logged(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = await api.world.caller()
    await api.world.services.scratch.service.add(caller, [ObservationDraft(content="tea")])
    services, client = api.world.services, api.client()
    by_text = '{ observations(filter: {query: "tea"}) { totalCount partial nodes { content } } }'
    # Its statements are planned before the time is short.
    assert not (await client.run(by_text))["observations"]["partial"]
    slow(services.database, "scratch/list_observations_by_time")
    short = services.catalog.scratch.model_copy(update={"query_timeout_ms": 1000})
    monkeypatch.setitem(services.catalog.__dict__, "scratch", short)
    with capture_logs() as logs:
        page = (await client.run("{ observations { partial totalCount nodes { id } } }"))["observations"]
        mine = (await client.run("{ observations(deadlineMs: 100) { partial } }"))["observations"]
        # The best matches of a text are read before the others.
        ranked = await client.run(by_text)
    assert (page, mine) == ({"partial": True, "totalCount": 0, "nodes": []}, {"partial": True})
    assert ranked["observations"] == {"totalCount": 1, "partial": True, "nodes": [{"content": "tea"}]}
    # Who sets a deadline expects that it may pass.
    assert [operation for operation, _ in logged(logs, "timeout")] == ["observations"] * 2


@pytest.mark.covers("OBS-67")
async def test_a_page_whose_matches_are_not_counted_in_time_is_partial_and_keeps_what_was_found(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = await api.world.caller()
    drafts = [ObservationDraft(content=text) for text in ("tea", "milk")]
    await api.world.services.scratch.service.add(caller, drafts)
    services, client = api.world.services, api.client()
    slow(services.database, "scratch/count_observations_by_time")
    short = services.catalog.scratch.model_copy(update={"query_timeout_ms": 500})
    monkeypatch.setitem(services.catalog.__dict__, "scratch", short)
    body = "{ ...Page nodes { content } pageInfo { hasNextPage } } }"
    counting = "fragment Page on ObservationSearchConnection { ... { partial } ...All }"
    both = f"{counting} fragment All on ObservationSearchConnection {{ totalCount }}"
    all_of_it = {
        "partial": True,
        "totalCount": 2,
        "nodes": [{"content": "milk"}, {"content": "tea"}],
        "pageInfo": {"hasNextPage": False},
    }

    with capture_logs() as logs:
        page = await client.run(f"{{ observations {body} {both}")
        mine = await client.run(f"{{ observations(deadlineMs: 400) {body} {both}")
        uncounted = await client.run("{ observations { partial nodes { content } } }")

    assert page["observations"] == mine["observations"] == all_of_it
    assert uncounted["observations"] == {"partial": False, "nodes": all_of_it["nodes"]}
    assert [operation for operation, _ in logged(logs, "timeout")] == ["observations"]


async def test_a_mutation_that_is_late_still_says_that_nothing_was_written(api: Api) -> None:
    await api.world.caller()
    slow(api.world.services.database, "access/find_caller")
    with capture_logs() as logs:
        told = await api.client().run(
            'mutation { addObservation(input: {content: "x"}) { ... on Problem { code message } } }'
        )
    message = "the deadline passed; nothing was written, try again or ask for less"
    assert told == {"addObservation": {"code": "timeout", "message": message}}
    assert [operation for operation, _ in logged(logs, "timeout")] == ["add_observation"]
