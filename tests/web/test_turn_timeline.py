"""The timeline of a turn in the workbench: what it called, and what came of it."""

from __future__ import annotations

import pytest

from prefrontal.graph.lessons.outcome_record import FeedbackDraft, OutcomeDraft, RecordOutcome
from prefrontal.graph.tools.record import TrackToolInvocation
from prefrontal.graph.turns.commit_record import CommitStore, CommitTurn, StateDraft
from tests.support.failing import failing
from tests.web.conftest import Opener, Site
from tests.web.looking import WINDOWS, ready


async def traced_turn(site: Site) -> str:
    """A turn with a call that failed, one that took its place, and its outcome; return its id."""
    world = site.world
    caller = await world.caller("bot", person="ann")
    for tool, result in (
        ("weather_api", {"error": "Rate limit exceeded"}),
        ("web_search", {"answer": "<img src=x onerror=alert(1)> 15 degrees"}),
    ):
        world.clock.advance(seconds=1)
        command = TrackToolInvocation(turn_id="paris", tool=tool, result=result, execution_time_ms=234)
        await world.services.tools.track(caller, command)
    world.clock.advance(seconds=1)
    await world.services.outcomes.record(
        caller,
        RecordOutcome(
            turn_id="paris",
            outcome=OutcomeDraft(success=True, result="Told the weather"),
            feedback=FeedbackDraft(what_worked="A web search"),
        ),
    )
    turn = await world.services.turns.trace.get(caller, "paris")
    assert turn
    return turn.uid


@pytest.mark.nightly("the other test draws the same timeline")
@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
async def test_a_turn_shows_its_calls_and_its_outcome(
    site: Site, open_page: Opener, width: int, scheme: str
) -> None:
    uid = await traced_turn(site)
    watched = await open_page(f"{site.url}/turns/{uid}#token={site.token()}", width=width, scheme=scheme)
    page = await ready(watched, "weather_api failed")

    steps = page.locator(".timeline > li")
    calls = page.locator(".timeline > li[data-part='called']")
    assert await calls.count() == 2
    assert "Rate limit exceeded" in await calls.nth(0).inner_text()
    assert "in 234 ms" in await calls.nth(0).inner_text()
    shown = await calls.nth(1).inner_text()
    assert "web_search answered" in shown
    # What a tool returned is text.
    assert "<img src=x onerror=alert(1)>" in shown
    assert await page.is_visible("text=Outcome: success")
    assert await page.is_visible("text=Told the weather")
    await watched.keep(f"turn-calls-{width}-{scheme}.png")

    before = await steps.count()
    await page.click(".chips >> text=called")
    await watched.until("document.querySelectorAll(\".timeline > li[data-part='called']\").length === 0")
    assert await steps.count() == before - 2
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
    assert watched.complaints == []


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
async def test_a_turn_shows_what_its_commit_decided_and_published(
    site: Site, open_page: Opener, width: int, scheme: str
) -> None:
    uid = await traced_turn(site)
    world = site.world
    world.clock.advance(seconds=1)
    command = CommitTurn(
        turn_id="paris",
        user_input="How is the weather?",
        assistant_response="15 degrees.",
        outcome=OutcomeDraft(success=True, result="Said the degrees"),
        feedback=FeedbackDraft(what_worked="Short answers"),
        events=(
            StateDraft(content="It got colder.", importance=0.9),
            StateDraft(content="x", importance=0.1),
        ),
    )
    caller = await world.caller("bot", person="ann")
    with failing(world.services, CommitStore.CONVERSATION, times=1):
        done = await world.services.turns.finalization.commit(caller, command)
    watched = await open_page(f"{site.url}/turns/{uid}#token={site.token()}", width=width, scheme=scheme)
    page = await ready(watched, "Published what the turn changed")

    text = await page.inner_text(".timeline")
    kept = sum(1 for each in done.selection if each.rule is None)
    left = len(done.selection) - kept
    for said in (
        f"{kept} thing{'' if kept == 1 else 's'} to remember, {left} left out",
        "not important enough",
        "The turn was judged a success",
        "Stored in goals, actions and questions",
        "Not stored in the conversation",
        "It failed at first; this was attempt 2.",
        f"The export {done.export_id}",
        "The phases: completion ",
        "new lesson",
        "What worked: Short answers",
    ):
        assert said in text, said
    colour = """text => {
      const steps = [...document.querySelectorAll(".timeline > li")];
      const step = steps.find((each) => each.innerText.includes(text));
      const own = getComputedStyle(step.querySelector(".step-body"), "::after").borderTopColor;
      return [own, step.querySelector(".part").textContent];
    }"""
    wrong = await page.evaluate(
        """() => {
          const probe = document.body.appendChild(document.createElement("i"));
          probe.style.color = "var(--wrong)";
          const found = getComputedStyle(probe).color;
          probe.remove();
          return found;
        }"""
    )
    assert await page.evaluate(colour, "Not stored in the conversation") == [wrong, "Not written"]
    (stored, said) = await page.evaluate(colour, "Stored in goals, actions and questions")
    assert stored != wrong
    assert said == "Wrote"
    await page.locator("text=Not stored in the conversation").scroll_into_view_if_needed()
    await watched.keep(f"turn-not-written-{width}-{scheme}.png")
    await page.locator("text=Published what the turn changed").scroll_into_view_if_needed()
    await watched.keep(f"turn-commit-{width}-{scheme}.png")
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
    assert watched.complaints == []
