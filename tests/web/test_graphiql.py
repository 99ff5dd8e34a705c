"""The GraphiQL page in a real browser."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta

import pytest
from playwright.async_api import Route

from tests.web.conftest import Opener, Site, Watched

AN_EXAMPLE = pytest.mark.nightly("an example is loaded and run by another test")
TOKEN = pytest.mark.nightly("the page without a token asks for one with each change")
LOOKS = pytest.mark.nightly("how GraphiQL itself looks")


def editor(part: str) -> str:
    """An expression for the editor in a part of the page; GraphiQL names the library of its editors."""
    return f"__MONACO.editor.getEditors().find(each => each.getDomNode().closest('{part}'))"


EDITOR = editor(".graphiql-query-editor")
SHOWN = f"{editor('.result-window')}.getValue()"
VARIABLES = f"{editor('[aria-label=Variables]')}.getValue()"


async def editors(watched: Watched) -> None:
    """Wait until the editors are there: their library is loaded after the rest of the page."""
    await watched.until(f"typeof __MONACO !== 'undefined' && {EDITOR} !== undefined")


async def run(watched: Watched, example: str | None = None) -> dict:
    """Open an example, run it and return the answer that is shown."""
    page = watched.page
    await editors(watched)
    if example:
        await page.click(f"button[data-example='{example}']")
        # The ids are looked up before it is shown, over the answer of the one before.
        name = "".join(word.capitalize() for word in example.split("_")[1:])
        await watched.until(f"{EDITOR}.getValue().includes('{name}')")
    await page.click(".graphiql-execute-button")
    await watched.until(f"{SHOWN}.trim().endsWith('}}')")
    answer = json.loads(await page.evaluate(SHOWN))
    assert "errors" not in answer, answer
    return answer


async def test_the_link_signs_in_and_an_example_shows_its_answer(site: Site, open_page: Opener) -> None:
    token = site.token()
    watched = await open_page(f"{site.page}#token={token}")
    await watched.page.wait_for_selector(".graphiql-execute-button")
    assert watched.page.url == site.page
    assert await watched.page.inner_text("#who") == f"{site.world.org} · agent bot · person ann"

    answer = await run(watched)
    assert answer["data"]["me"]["organisation"] == site.world.org
    assert sorted(space["kind"] for space in answer["data"]["me"]["readableSpaces"]["nodes"]) == [
        "common",
        "private",
        "private",
    ]

    stored = await watched.page.evaluate("[JSON.stringify(localStorage), document.cookie, location.href]")
    assert token not in "".join(stored)
    assert watched.foreign == []
    assert watched.complaints == []


@pytest.mark.nightly("test_examples.py runs the examples without a browser")
async def test_every_example_runs_in_an_organisation_that_has_nothing(site: Site, open_page: Opener) -> None:
    watched = await open_page(f"{site.page}#token={site.token()}")
    await watched.page.wait_for_selector("button[data-example='5_goal_lineage']")

    await watched.page.click("button[data-example='5_goal_lineage']")
    await watched.page.wait_for_selector("text=You have no goal yet")
    await watched.page.click("button[data-example='14_propose_type']")
    await watched.page.wait_for_selector("text=You have no proposal yet")

    added = (await run(watched, "2_add_observations"))["data"]["addObservations"]["observations"]
    assert len(added) == 2
    by_tag = (await run(watched, "3_query_by_tag"))["data"]["observations"]
    assert json.loads(await watched.page.evaluate(VARIABLES))["tags"][0] in by_tag["nodes"][0]["tags"]
    assert by_tag["totalCount"] == 1
    goal = (await run(watched, "4_create_goal"))["data"]["createGoal"]["goal"]
    assert [edge["node"]["id"] for edge in goal["evidence"]["edges"]] == [added[-1]["id"]]
    assert len(goal["actions"]["nodes"]) == 2
    lineage = (await run(watched, "5_goal_lineage"))["data"]["goalLineage"]
    assert [node["role"] for node in lineage["nodes"]] == ["self", "evidence", "action", "action"]
    context = (await run(watched, "6_assemble_context"))["data"]["assembleContext"]["context"]
    assert goal["title"] in context["text"]
    trace = (await run(watched, "7_turn_trace"))["data"]["turnTrace"]["nodes"]
    assert [entry["kind"] for entry in trace] == [
        "OBSERVATIONS_ADDED",
        "OBSERVATION_KEPT",
        "OBSERVATION_KEPT",
        "GOAL_CREATED",
        "CONTEXT_ASSEMBLED",
    ]
    review = (await run(watched, "8_review_the_page"))["data"]["evaluateScratchPage"]
    assert [item["reason"] for item in review["evaluations"]] == ["OPERATIONAL", "ALREADY_LINKED"]
    actions = (await run(watched, "9_pending_actions"))["data"]["pendingActions"]["nodes"]
    assert [action["title"] for action in actions] == ["Look for more of the same"]
    start = (await run(watched, "10_start_turn"))["data"]["startTurn"]
    assert [action["title"] for action in start["agentActions"]] == ["Look for more of the same"]
    end = (await run(watched, "11_commit_turn"))["data"]["commitTurn"]["results"]
    assert [result["problem"] for result in end] == [None] * 4
    history = (await run(watched, "12_history"))["data"]["history"]["nodes"]
    assert [version["number"] for version in history] == [2, 1]
    assert (await run(watched, "13_revert"))["data"]["revert"]["node"]["progress"] == 0
    proposal = (await run(watched, "14_propose_type"))["data"]["submitRegistryProposal"]["proposal"]
    assert (proposal["typeId"], proposal["version"]) == ("order_wine", 2)
    assert (await run(watched, "15_proposals"))["data"]["registryProposals"]["totalCount"] == 1
    refused = (await run(watched, "16_review_proposal"))["data"]["reviewRegistryProposal"]
    assert refused["code"] == "forbidden"
    assert (await run(watched, "17_export_proposal"))["data"]["exportProposalAsPr"]["code"] == "forbidden"
    suggested = (await run(watched, "21_suggest_goals"))["data"]["suggestGoals"]
    assert suggested == []
    linked = (await run(watched, "22_link_observation"))["data"]["linkObservation"]["result"]
    assert linked["goal"]["title"] == goal["title"]
    call = (await run(watched, "23_track_tool"))["data"]["trackToolInvocation"]["invocation"]
    assert (call["status"], call["error"]) == ("FAILED", "Rate limit exceeded")
    outcome = (await run(watched, "24_record_outcome"))["data"]["recordOutcome"]["outcome"]
    assert outcome["success"] is True
    lessons = (await run(watched, "25_lessons"))["data"]["lessons"]
    assert "What worked: Short answers" in [each["statement"] for each in lessons["nodes"]]
    (export,) = (await run(watched, "26_turn_export"))["data"]["turn"]["exports"]["nodes"]
    assert export["body"]["export_id"] in export["id"]
    assert watched.complaints == []


@AN_EXAMPLE
async def test_nothing_runs_while_an_example_is_loading(site: Site, open_page: Opener) -> None:
    watched = await open_page(f"{site.page}#token={site.token()}")
    page = watched.page
    await page.wait_for_selector("button[data-example='5_goal_lineage']")
    await editors(watched)
    await run(watched, "2_add_observations")
    added = "MATCH (o:Observation {org_id: $org}) RETURN count(o) AS number"
    before = await site.world.rows(added)
    asked = asyncio.Event()
    answered = asyncio.Event()

    async def late(route: Route) -> None:
        asked.set()
        await answered.wait()
        await route.continue_()

    await page.route("**/graphql", late)
    await page.click("button[data-example='5_goal_lineage']")
    await asked.wait()

    assert await page.is_disabled(".graphiql-execute-button")
    assert await page.inner_text(".examples-notice") == "Loading “Goal lineage” …"
    await page.evaluate(f"{EDITOR}.focus()")
    await page.keyboard.press("Control+Enter")
    await watched.until(f"{SHOWN}.includes('still loading')")
    answered.set()
    await page.wait_for_selector("text=You have no goal yet")
    assert await page.is_enabled(".graphiql-execute-button")
    assert await site.world.rows(added) == before


@AN_EXAMPLE
async def test_an_example_does_not_overwrite_what_was_typed(site: Site, open_page: Opener) -> None:
    watched = await open_page(f"{site.page}#token={site.token()}")
    await watched.page.wait_for_selector("button[data-example='3_query_by_tag']")
    await editors(watched)
    await watched.page.evaluate(f"{EDITOR}.setValue('query Mine {{ me {{ orgId }} }}')")
    await watched.page.click("button[data-example='2_add_observations']")
    await watched.until(f"{EDITOR}.getValue().startsWith('# Add observations')")
    assert await watched.page.locator(".graphiql-tab").count() == 2
    await watched.page.click(".graphiql-tab >> nth=0")
    assert await watched.page.evaluate(f"{EDITOR}.getValue()") == "query Mine { me { orgId } }"


async def test_without_a_token_the_page_asks_for_one_and_calls_nothing(site: Site, open_page: Opener) -> None:
    watched = await open_page(site.page)
    await watched.page.wait_for_selector("#token")
    assert await watched.page.is_visible("text=prefrontal token --org ORG --agent NAME")
    assert not any(url.endswith("/graphql") for url in watched.requests)

    # What is pasted may be the whole link.
    await watched.page.fill("#token", f"http://elsewhere/graphiql#token={site.token()}")
    await watched.page.keyboard.press("Enter")
    await watched.page.wait_for_selector(".graphiql-execute-button")
    assert not await watched.page.is_visible("#token")
    assert watched.complaints == []


@TOKEN
async def test_a_token_the_server_refuses_is_asked_for_again(site: Site, open_page: Opener) -> None:
    watched = await open_page(f"{site.page}#token={site.token()}")
    await editors(watched)
    # What the page asks by itself, who one is and the schema, would be refused as well, and the question
    # would cover the button. The browser lists what has an answer.
    asked = "performance.getEntriesByType('resource').filter(each => each.name.endsWith('/graphql'))"
    await watched.until(f"{asked}.length === 2")
    site.world.clock.advance(hours=2)
    await watched.page.click(".graphiql-execute-button")
    await watched.page.wait_for_selector("#sign-in-problem:has-text('the token has expired')")

    await watched.page.fill("#token", site.token(timedelta(minutes=5)))
    await watched.page.keyboard.press("Enter")
    await watched.page.wait_for_selector("#sign-in", state="hidden")
    assert (await run(watched))["data"]["me"]["organisation"] == site.world.org


@TOKEN
async def test_signing_out_forgets_the_token(site: Site, open_page: Opener) -> None:
    watched = await open_page(f"{site.page}#token={site.token()}")
    await watched.page.click("#sign-out")
    await watched.page.wait_for_selector("#token")
    assert await watched.page.evaluate("sessionStorage.length") == 0


@LOOKS
async def test_a_narrow_window_has_everything_and_scrolls_down_only(site: Site, open_page: Opener) -> None:
    watched = await open_page(f"{site.page}#token={site.token()}", width=390, height=800)
    page = watched.page
    await page.wait_for_selector(".graphiql-execute-button")
    await page.click("button[aria-label='Show Examples']")
    await page.click("button[data-example='1_who_am_i']")
    await page.wait_for_selector(".examples", state="hidden")
    assert (await run(watched))["data"]["me"]["organisation"] == site.world.org
    assert await page.evaluate("document.documentElement.scrollWidth") == 390
    for part in (".graphiql-query-editor", "[aria-label=Variables]", ".graphiql-response", "#sign-out"):
        box = await page.locator(part).first.bounding_box()
        assert box["width"] > 60, part
        assert 0 <= box["x"] <= box["x"] + box["width"] <= 390, part
    await watched.keep("graphiql-narrow.png")
    assert watched.complaints == []


@pytest.mark.nightly("the page of an example obeys it in every other test")
async def test_dialogs_and_panels_obey_the_content_policy(site: Site, open_page: Opener) -> None:
    watched = await open_page(f"{site.page}#token={site.token()}")
    page = watched.page
    await page.click("button[aria-label='Open settings dialog']")
    await page.wait_for_selector(".graphiql-dialog-title")
    await page.keyboard.press("Escape")
    await page.click("button[aria-label='Show History']")
    await page.wait_for_selector("[aria-label=History] >> text=History")
    await page.click("button[aria-label='Show GraphiQL Explorer']")
    await page.wait_for_selector("text=activeGoals")
    await page.click("button[aria-label='Show Documentation Explorer']")
    await page.wait_for_selector("text=Mutation")
    assert watched.complaints == []
    assert watched.foreign == []


@pytest.mark.nightly("what GraphiQL itself does with a schema")
async def test_the_editor_checks_and_completes_by_the_schema(site: Site, open_page: Opener) -> None:
    watched = await open_page(f"{site.page}#token={site.token()}")
    page = watched.page
    await page.wait_for_selector("button[data-example='1_who_am_i']")
    # The schema has arrived, and the worker that knows it obeys the content policy.
    await editors(watched)
    await page.evaluate(f"{EDITOR}.setValue('query Mine {{ me {{ orgIdd }} }}')")
    markers = "__MONACO.editor.getModelMarkers({owner: 'graphql'}).map(each => each.message)"
    await watched.until(f"{markers}.length > 0")
    (message,) = await page.evaluate(markers)
    assert message.startswith('Cannot query field "orgIdd" on type "Me"')
    assert len(page.workers) > 0

    await page.evaluate(f"{EDITOR}.setValue('query Mine {{ me {{ orgI }} }}')")
    await page.evaluate(f"{EDITOR}.focus(), {EDITOR}.setPosition({{lineNumber: 1, column: 23}})")
    await page.keyboard.press("Control+Space")
    await page.wait_for_selector(".suggest-widget .monaco-list-row >> text=orgId")
    await page.keyboard.press("Enter")
    assert await page.evaluate(f"{EDITOR}.getValue()") == "query Mine { me { orgId } }"
    assert watched.complaints == []
    assert watched.foreign == []


@LOOKS
async def test_the_window_is_as_dark_as_the_system_unless_settings_say_so(
    site: Site, open_page: Opener
) -> None:
    watched = await open_page(f"{site.page}#token={site.token()}")
    page = watched.page
    await page.wait_for_selector(".graphiql-execute-button")
    paper = "getComputedStyle(document.body).backgroundColor"
    assert await page.evaluate(paper) == "rgb(255, 255, 255)"
    await page.emulate_media(color_scheme="dark")
    assert await page.evaluate(paper) == "rgb(27, 35, 43)"
    await watched.keep("graphiql-dark.png")
    await page.click("button[aria-label='Open settings dialog']")
    await page.click(".graphiql-dialog >> text=Light")
    assert await page.evaluate(paper) == "rgb(255, 255, 255)"
    assert watched.complaints == []
