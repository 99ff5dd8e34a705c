"""The workbench in a real browser: lineage and links, by mouse, touch, keyboard and form."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.async_api import Page

from prefrontal.api.web.routes import VIEWS
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.context.record import AssembleContext
from prefrontal.graph.cortex.actions.record import PendingActionDraft
from prefrontal.graph.cortex.goals.record import CreateGoal, LinkObservation, TransitionGoal, UpsertGoal
from prefrontal.graph.lessons.outcome_record import FeedbackDraft, OutcomeDraft, RecordOutcome
from prefrontal.graph.registry.load import load_action_types
from prefrontal.graph.registry.proposals.record import ProposalType, SubmitRegistryProposal
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.sessions.record import (
    ItemContent,
    Salience,
    StartSession,
    UpdateWorkingMemory,
    WorkingMemoryOperation,
)
from prefrontal.graph.tools.record import TrackToolInvocation
from tests.support.thinned import first_by_day
from tests.support.world import World
from tests.web.conftest import Opener, Site
from tests.web.looking import HOSTILE, WINDOWS, findings, ready

ELSEWHERE = pytest.mark.nightly("test_live shows changes that were made elsewhere")
LINKING = pytest.mark.nightly("links by drag, by the keyboard and refused ones are tried with each change")


@dataclass
class Story:
    """Goals and observations of a caller that the page is signed in as."""

    site: Site
    ids: dict[str, str]

    def url(self, path: str) -> str:
        return f"{self.site.url}{path}#token={self.site.token()}"

    @property
    def world(self) -> World:
        return self.site.world

    async def links(self) -> list[tuple[str, str, Any]]:
        """The links in force: observation, goal, note."""
        names = {uid: name for name, uid in self.ids.items()}
        rows = await self.world.rows(
            "MATCH (o:Observation {org_id: $org})-[e:EVIDENCES WHERE e.until IS NULL]->(g:Goal) "
            "RETURN o.uid AS o, g.uid AS g, e.note AS note"
        )
        return sorted((names[row["o"]], names.get(row["g"], "new"), row["note"]) for row in rows)


@pytest.fixture
async def story(site: Site) -> Story:
    world = site.world
    caller = await world.caller("bot", person="ann")
    goals = world.services.goals.service
    ids: dict[str, str] = {}
    cellar = await goals.create(caller, CreateGoal(title="Keep a cellar", priority="low"))
    dinner = await goals.create(
        caller, CreateGoal(title="Choose the wines", priority="high", parent_goal_id=cellar.uid)
    )
    old = await goals.create(caller, CreateGoal(title="A closed goal", parent_goal_id=cellar.uid))
    ids |= {"cellar": cellar.uid, "dinner": dinner.uid, "old": old.uid}
    drafts = {"guests": "Six guests come", "fish": "There will be turbot", "cold": "Ida has a cold"}
    made = await world.services.scratch.service.add(
        caller, [ObservationDraft(content=text, confidence=0.8) for text in drafts.values()]
    )
    ids |= dict(zip(drafts, (each.uid for each in made), strict=True))
    link = LinkObservation(observation_id=ids["guests"], goal_id=ids["dinner"], note="they drink")
    await world.services.goals.evidence.link(caller, link)
    await world.services.goals.transitions.transition(caller, TransitionGoal(id=old.uid, status="cancelled"))
    return Story(site, ids)


async def position_of(page: Page, name: str) -> tuple[float, float]:
    """Where a node of the picture rests in the window; its caption tells the node."""
    before = None
    while (now := await _place(page, name)) != before:
        before = now
        await page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return now


async def _place(page: Page, name: str) -> tuple[float, float]:
    box = await page.locator(".picture-box").bounding_box()
    assert box is not None
    at = await page.evaluate(
        "name => { const core = document.querySelector('.picture-box')._cyreg.cy;"
        " const node = core.nodes().filter(each => each.data('caption').startsWith(name));"
        " return node.length === 1 ? node.renderedPosition() : null }",
        name,
    )
    assert at is not None, name
    return box["x"] + at["x"], box["y"] + at["y"]


# The whole caption of the node whose caption begins so.
CAPTION = (
    "name => document.querySelector('.picture-box')._cyreg.cy.nodes()"
    ".filter(each => each.data('caption').startsWith(name)).data('caption')"
)


async def caption(page: Page, name: str) -> str:
    """The whole caption of the node whose caption begins so."""
    found: str = await page.evaluate(CAPTION, name)
    return found


async def edges(page: Page) -> list[tuple[str, str, bool]]:
    """The edges of the picture by the captions of their ends, and whether each waits for the server."""
    found = await page.evaluate(
        "document.querySelector('.picture-box')._cyreg.cy.edges().map(each => ["
        "each.source().data('caption').split('\\n')[0], each.target().data('caption').split('\\n')[0],"
        " each.hasClass('pending')])"
    )
    return sorted(tuple(each) for each in found)


async def test_the_first_address_shows_the_lineage_of_the_most_urgent_goal(
    story: Story, open_page: Opener
) -> None:
    watched = await open_page(story.url("/"))
    page = await ready(watched, "What speaks for it")
    assert page.url == f"{story.site.url}/lineage/{story.ids['dinner']}"

    # An arrow leads from a goal to its parent; in the picture the parent is the source.
    assert await edges(page) == [
        ("Choose the wines", "Six guests come", False),
        ("Keep a cellar", "Choose the wines", False),
    ]
    names = await page.locator(".nodes button span").all_inner_texts()
    assert [name.split("\n")[0] for name in names] == ["Keep a cellar", "Choose the wines", "Six guests come"]
    await page.click(".nodes button:has-text('Six guests come')")
    await page.wait_for_selector(".details >> text=they drink")

    # A link or a reload shows the same.
    await page.reload()
    await page.wait_for_selector(".details >> text=they drink")
    await page.click(".chip:has-text('Observations')")
    await watched.until("document.querySelector('.picture-box')._cyreg.cy.edges().length === 1")
    assert "hide=observation" in page.url

    # A double click opens the lineage of another goal.
    at = await position_of(page, "Keep a cellar")
    await page.mouse.dblclick(*at)
    await page.wait_for_url(f"**/lineage/{story.ids['cellar']}")
    await page.wait_for_selector("text=What is part of it")
    await page.wait_for_selector(".nodes >> text=A closed goal")
    assert watched.complaints == []
    assert watched.foreign == []
    await watched.keep("workbench-lineage.png")


@pytest.mark.nightly("a view of its own kind is drawn by test_everybody_can_use_the_views_*")
async def test_outcomes_are_drawn_and_tool_calls_when_somebody_asks_for_them(
    story: Story, open_page: Opener
) -> None:
    caller, goal = await story.world.caller("bot", person="ann"), story.ids["dinner"]
    for tool, error in (("merchant_search", None), ("place_order", "The shop is closed")):
        await story.world.services.tools.track(
            caller, TrackToolInvocation(turn_id="t", tool=tool, result={}, error=error, goal_id=goal)
        )
    change = UpsertGoal(id=goal, description="Whites alone", turn_id="t")
    await story.world.services.goals.upsert.upsert(caller, change)
    outcome = OutcomeDraft(success=False, result="Nothing was ordered")
    feedback = FeedbackDraft(what_could_improve="Ask a second shop")
    await story.world.services.outcomes.record(
        caller, RecordOutcome(turn_id="t", outcome=outcome, feedback=feedback)
    )
    before = [
        ("Choose the wines", "Failed: Nothing was ordered", False),
        ("Choose the wines", "Six guests come", False),
        ("Keep a cellar", "Choose the wines", False),
    ]
    calls = [
        ("Choose the wines", "merchant_search: done", False),
        ("Choose the wines", "place_order: The shop is closed", False),
    ]
    watched = await open_page(story.url(f"/lineage/{goal}"))
    page = await ready(watched, "What came of it lately")
    assert await edges(page) == before
    await page.click(".nodes button:has-text('Nothing was ordered')")
    await page.wait_for_selector(".details >> text=Ask a second shop")
    # An outcome has no versions; its turn tells more.
    assert await page.locator(".details a:has-text('History')").count() == 0

    await page.click(".chip:has-text('Tool calls')")

    await page.wait_for_selector("h3:has-text('Tools called for it lately')")
    assert await edges(page) == sorted([*before, *calls])
    await page.click(".nodes button:has-text('place_order')")
    await page.wait_for_selector(".details >> text=Failed: The shop is closed")
    looks = await page.evaluate(
        "document.querySelector('.picture-box')._cyreg.cy.nodes().map(each => ["
        "each.data('kind'), each.style('shape'), each.style('background-color')])"
    )
    drawn = {kind: (shape, colour) for kind, shape, colour in looks}
    assert len(set(drawn.values())) == len(drawn) == 4
    for scheme in ("light", "dark"):
        await page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        for width, size in (("wide", (1280, 800)), ("narrow", (390, 844))):
            await page.set_viewport_size({"width": size[0], "height": size[1]})
            await page.reload()
            await page.wait_for_selector(".details >> text=Failed: The shop is closed")
            assert await findings(page) == []
            await watched.keep(f"workbench-lineage-calls-{scheme}-{width}.png")

    # The address keeps both choices, and each is taken back by itself.
    await page.set_viewport_size({"width": 1280, "height": 800})
    await page.click(".chip:has-text('Outcomes')")
    assert "show=tool_invocation" in page.url
    assert "hide=outcome" in page.url
    await page.reload()
    await page.wait_for_selector(".nodes >> text=place_order")
    assert await edges(page) == sorted([*before[1:], *calls])
    await page.click(".chip:has-text('Tool calls')")
    await page.click(".chip:has-text('Outcomes')")
    await page.wait_for_selector(".nodes >> text=place_order", state="detached")
    assert await edges(page) == before
    await page.click(".nodes button:has-text('Nothing was ordered')")
    await page.click(".details a[href*='/turns/']")
    await page.wait_for_url("**/turns/*")
    assert watched.complaints == []


@ELSEWHERE
@pytest.mark.alone
@pytest.mark.usefixtures("relay")
async def test_what_was_changed_elsewhere_appears_without_a_reload(story: Story, open_page: Opener) -> None:
    watched = await open_page(story.url(f"/lineage/{story.ids['dinner']}"))
    page = await ready(watched, "Six guests come")
    caller = await story.world.caller("bot", person="ann")
    link = LinkObservation(observation_id=story.ids["fish"], goal_id=story.ids["dinner"])
    await story.world.services.goals.evidence.link(caller, link)
    await page.wait_for_selector(".nodes >> text=There will be turbot")
    assert ("Choose the wines", "There will be turbot", False) in await edges(page)


@pytest.mark.parametrize("by", ["mouse", "touch"])
async def test_an_observation_is_dragged_onto_a_goal_and_the_link_is_taken_back(
    story: Story, open_page: Opener, by: str
) -> None:
    watched = await open_page(story.url("/link"), touch=by == "touch")
    page = await ready(watched, "Ida has a cold")
    start, end = await position_of(page, "Ida has a cold"), await position_of(page, "Keep a cellar")

    await drag(page, start, end, by)

    await page.wait_for_selector(".said:has-text('Linked to “Keep a cellar”')")
    await watched.until("document.querySelector('.picture-box')._cyreg.cy.edges('.pending').length === 0")
    assert ("cold", "cellar", None) in await story.links()
    assert ("Ida has a cold", "Keep a cellar", False) in await edges(page)
    assert await caption(page, "Keep a cellar") == "Keep a cellar\nIn progress · 8\u00a0%"
    await page.click("text=Undo")
    await page.wait_for_selector(".said:has-text('is gone')")
    assert await story.links() == [("guests", "dinner", "they drink")]
    # The goal is as it was before the link.
    await watched.until(f"({CAPTION})('Keep a cellar') === 'Keep a cellar\\nPending · 0\u00a0%'")
    assert watched.complaints == []


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
async def test_a_goal_keeps_its_size_while_an_observation_is_dragged_over_it(
    story: Story, open_page: Opener, width: int, scheme: str
) -> None:
    watched = await open_page(story.url("/link"), width=width, scheme=scheme)
    page = await ready(watched, "Ida has a cold")
    await page.locator(".picture-box").scroll_into_view_if_needed()
    before = await size(page, "Keep a cellar")
    await carry(page, await position_of(page, "Ida has a cold"), await position_of(page, "Keep a cellar"))
    await watched.until("document.querySelector('.picture-box')._cyreg.cy.edges('.eh-preview').length === 1")
    await watched.keep(f"workbench-drag-{width}-{scheme}.png")

    assert await size(page, "Keep a cellar") == before
    await page.mouse.up()
    await page.wait_for_selector(".said:has-text('Linked to “Keep a cellar”')")
    assert watched.complaints == []


async def size(page: Page, name: str) -> dict[str, float]:
    """Where a node of the picture, with its caption, begins and ends; its caption tells the node."""
    found: dict[str, float] = await page.evaluate(
        "name => { const core = document.querySelector('.picture-box')._cyreg.cy;"
        " const node = core.nodes().filter(each => (each.data('caption') ?? '').startsWith(name));"
        # The mark around a goal that would take the observation is no part of the goal.
        " return node.renderedBoundingBox({includeOverlays: false}) }",
        name,
    )
    return found


async def carry(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Move from one place to another with the button down, and keep it down."""
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    await page.mouse.move(*start)
    await page.mouse.down()
    for at in (middle, end, end):
        await page.mouse.move(*at, steps=4)


async def drag(page: Page, start: tuple[float, float], end: tuple[float, float], by: str) -> None:
    if by == "mouse":
        await carry(page, start, end)
        await page.mouse.up()
        return
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    client = await page.context.new_cdp_session(page)

    async def touch(kind: str, *points: tuple[float, float]) -> None:
        await client.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]},
        )

    await touch("touchStart", start)
    for at in (middle, end, end):
        await touch("touchMove", at)
    await touch("touchEnd")


@pytest.mark.nightly("a link that the server refuses goes away by another test")
async def test_a_pair_that_is_linked_already_refuses_the_drop(story: Story, open_page: Opener) -> None:
    watched = await open_page(story.url("/link"))
    page = await ready(watched, "Six guests come")
    await drag(
        page, await position_of(page, "Six guests come"), await position_of(page, "Choose the wines"), "mouse"
    )
    await drag(
        page, await position_of(page, "Choose the wines"), await position_of(page, "Keep a cellar"), "mouse"
    )
    await drag(
        page,
        await position_of(page, "Ida has a cold"),
        await position_of(page, "There will be turbot"),
        "mouse",
    )
    assert await page.locator(".said").is_hidden()
    assert await story.links() == [("guests", "dinner", "they drink")]


async def test_a_link_that_the_server_refuses_goes_away_with_the_reason(
    story: Story, open_page: Opener
) -> None:
    watched = await open_page(story.url("/link"))
    page = await ready(watched, "Ida has a cold")
    at = await position_of(page, "Keep a cellar")
    # Meanwhile somebody else closes the goal, and the page does not know it yet.
    caller = await story.world.caller("bot", person="ann")
    cellar = TransitionGoal(id=story.ids["cellar"], status="cancelled")
    await story.world.services.goals.transitions.transition(caller, cellar)
    await drag(page, await position_of(page, "Ida has a cold"), at, "mouse")

    await page.wait_for_selector(".said[data-wrong=true]:has-text('Not linked')")
    await watched.until("document.querySelector('.picture-box')._cyreg.cy.edges('.pending').length === 0")
    assert await story.links() == [("guests", "dinner", "they drink")]


async def test_an_observation_is_linked_by_the_keyboard_alone(story: Story, open_page: Opener) -> None:
    watched = await open_page(story.url("/link"))
    page = await ready(watched, "Ida has a cold")
    await page.focus(".nodes button:has-text('Ida has a cold')")
    await page.keyboard.press("Enter")
    await page.focus(".form input[role=combobox]")
    await page.keyboard.type("cellar")
    await page.wait_for_selector("[role=option]:has-text('Keep a cellar')")
    # The goals that do not have the word are gone from the list.
    await page.wait_for_selector("[role=option]:has-text('Choose the wines')", state="detached")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    # Confidence, then the note, then the button.
    await page.keyboard.press("Tab")
    await page.keyboard.press("ArrowLeft")
    await page.keyboard.press("Tab")
    await page.keyboard.type("she may not come")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")

    await page.wait_for_selector(".said:has-text('Linked to “Keep a cellar”')")
    assert await story.links() == [("cold", "cellar", "she may not come"), ("guests", "dinner", "they drink")]
    assert await page.locator(".said").get_attribute("aria-live") == "polite"


@LINKING
async def test_several_observations_found_a_goal_in_one_gesture(story: Story, open_page: Opener) -> None:
    watched = await open_page(story.url("/link"))
    page = await ready(watched, "Ida has a cold")
    await page.check("[aria-label='Mark “There will be turbot” for a new goal']")
    await drag(
        page, await position_of(page, "Ida has a cold"), await position_of(page, "A new goal"), "mouse"
    )
    await page.fill("form[aria-label='New goal'] input", "Cook for fewer")
    await page.click("text=Create the goal")

    await page.wait_for_selector(".said:has-text('Cook for fewer')")
    links = await story.links()
    assert links == [("cold", "new", None), ("fish", "new", None), ("guests", "dinner", "they drink")]


@pytest.mark.parametrize("view", first_by_day(VIEWS, "two views of an empty database", by_day=2))
async def test_an_empty_database_says_what_to_do(site: Site, open_page: Opener, view: str) -> None:
    watched = await open_page(f"{site.url}/{view}#token={site.token()}")
    page = await ready(watched, "Sign out")
    # An explanation, not an empty page and not a mark of waiting that never ends.
    await page.wait_for_selector(".view .state h2")
    assert len(await page.inner_text(".view .state")) > 60
    assert await findings(page) == []
    assert watched.complaints == []


async def hostile_story(site: Site) -> dict[str, str]:
    """A hostile text wherever a text may be; return the address at which each view shows it."""
    world = site.world
    caller = await world.caller("bot", person="ann")
    (one,) = await world.services.scratch.service.add(
        caller, [ObservationDraft(content=HOSTILE, tags=(HOSTILE[:60],))]
    )
    goal = await world.services.goals.service.create(
        caller,
        CreateGoal(
            title=HOSTILE,
            description=HOSTILE,
            constraints=(HOSTILE,),
            pending_actions=(PendingActionDraft(type="user_task", title=HOSTILE, description=HOSTILE),),
            turn_id="t",
        ),
    )
    link = LinkObservation(observation_id=one.uid, goal_id=goal.uid, note=HOSTILE)
    await world.services.goals.evidence.link(caller, link)
    session = await world.services.sessions.start(caller, StartSession(task=HOSTILE, focus=("img",)))
    await world.services.sessions.update(
        caller,
        UpdateWorkingMemory(
            session_id=session.uid,
            operation=WorkingMemoryOperation.ADD,
            content=ItemContent(content=HOSTILE),
            salience=Salience(relevance_score=1, urgency=1, recency=1, user_attention=1),
        ),
    )
    context = AssembleContext(prompt=HOSTILE, budget=2000, turn_id="t", session_id=session.uid)
    await world.services.context.assemble(caller, context)
    (turn,) = await world.rows("MATCH (t:Turn {org_id: $org, key: 't'}) RETURN t.uid AS uid")
    proposal = await world.services.registry.proposals.submission.submit(
        caller,
        SubmitRegistryProposal(
            proposal_type=ProposalType.ADD,
            type_id="img_src",
            display_name=HOSTILE,
            description=HOSTILE,
            rationale=HOSTILE,
            examples=(HOSTILE,),
            risks=(HOSTILE,),
        ),
    )
    asked = quote(HOSTILE)
    return {
        "lineage": f"/lineage/{goal.uid}?node={one.uid}",
        "link": f"/link?node={one.uid}",
        "context": f"/context?prompt={asked}&budget=2000",
        "turns": f"/turns/{turn['uid']}",
        "sessions": f"/sessions/{session.uid}",
        "actions": "/actions",
        "search": f"/search?text={asked}",
        "registry": f"/registry/{proposal.uid}",
        "history": f"/history/{goal.uid}",
    }


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
async def test_everybody_can_use_the_views_and_hostile_texts_are_texts(
    site: Site, open_page: Opener, width: int, scheme: str
) -> None:
    addresses = await hostile_story(site)
    assert set(addresses) == set(VIEWS)
    for view, address in addresses.items():
        watched = await open_page(f"{site.url}{address}#token={site.token()}", width=width, scheme=scheme)
        page = await ready(watched, "onerror")
        await page.wait_for_selector(".view :is(h1, h2, h3)")
        await watched.keep(f"workbench-{view}-{width}-{scheme}.png")
        assert await page.title() == "Prefrontal"
        assert await findings(page) == [], view
        # Nothing is wider than the window.
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), view
        assert (watched.complaints, watched.foreign) == ([], []), view
        await page.context.close()


async def test_an_action_offers_what_its_type_allows_and_moves_when_the_server_agrees(
    site: Site, open_page: Opener
) -> None:
    caller = await site.world.caller("bot", person="ann")
    draft = PendingActionDraft(type="research", title="Read the notes")
    goal = CreateGoal(title="Know the cellar", pending_actions=(draft,))
    await site.world.services.goals.service.create(caller, goal)
    watched = await open_page(f"{site.url}/actions#token={site.token()}")
    page = await ready(watched, "Read the notes")
    await page.click("button:has-text('Change status')")
    offered = await page.locator("[role^=menuitem]").all_inner_texts()
    (row,) = await site.world.rows("MATCH (a:PendingAction {org_id: $org}) RETURN a.status AS status")
    assert row["status"] == "pending"
    research = load_action_types(ROOT / "registry")["research"]
    assert len(offered) == len(research.allowed_transitions["pending"])
    await page.click("[role^=menuitem][data-key=in_progress]")
    await watched.until("document.querySelector('.view').innerText.includes('In progress 1')")
    (row,) = await site.world.rows("MATCH (a:PendingAction {org_id: $org}) RETURN a.status AS status")
    assert row["status"] == "in_progress"
    assert watched.complaints == []


@ELSEWHERE
async def test_a_server_that_goes_and_returns_is_said_and_the_page_goes_on(
    story: Story, open_page: Opener
) -> None:
    watched = await open_page(story.url(f"/lineage/{story.ids['dinner']}"))
    page = await ready(watched, "Six guests come")
    await page.context.set_offline(True)
    await page.wait_for_selector("[role=alert]:has-text('does not answer')")
    assert await page.locator(".nodes >> text=Six guests come").count() == 1
    await page.context.set_offline(False)
    await page.wait_for_selector("[role=alert]", state="detached")


async def test_a_stranger_sees_nothing_and_a_lost_session_asks_for_a_token(
    story: Story, open_page: Opener
) -> None:
    stranger = story.site.tokens.issue(story.world.principal("other"), timedelta(hours=1))[0]
    watched = await open_page(f"{story.site.url}/lineage/{story.ids['dinner']}#token={stranger}")
    page = await ready(watched, "There is no such goal")
    assert "Choose the wines" not in await page.content()
    await page.click("#sign-out")
    await page.wait_for_selector("text=Sign in with a token")


async def test_the_views_of_the_page_are_those_that_the_server_answers(site: Site, open_page: Opener) -> None:
    watched = await open_page(f"{site.url}/#token={site.token()}")
    await watched.page.wait_for_selector(".rail")
    linked = await watched.page.locator(".rail a").evaluate_all("all => all.map(a => a.getAttribute('href'))")
    assert linked == [*(f"/{view}" for view in VIEWS), "/graphiql"]
    assert Path(linked[0]).name == "lineage"


async def test_a_likely_goal_is_suggested_with_its_reasons_and_linked_by_one_press(
    story: Story, open_page: Opener
) -> None:
    caller = await story.world.caller("bot", person="ann")
    draft = ObservationDraft(content="The wines to choose from are in the cellar")
    (note,) = await story.world.services.scratch.service.add(caller, [draft])
    story.ids["note"] = note.uid
    watched = await open_page(story.url(f"/link?node={note.uid}"))
    page = await ready(watched, "Likely goals")
    likely = page.locator(".suggestion", has_text="Choose the wines")
    await likely.wait_for()
    assert "both are about choose, wines" in (await likely.inner_text()).replace("\n", " ")
    assert await page.locator(".suggestion", has_text="A closed goal").count() == 0

    await page.click("button[aria-label='Link to Choose the wines']")

    await page.wait_for_selector(".said:has-text('Linked to “Choose the wines”')")
    await page.wait_for_selector("button[aria-label='Link to Choose the wines']", state="detached")
    assert ("note", "dinner", None) in await story.links()
    assert watched.complaints == []


@LINKING
async def test_a_link_gets_another_note_in_place_and_the_change_is_taken_back(
    story: Story, open_page: Opener
) -> None:
    watched = await open_page(story.url(f"/link?node={story.ids['guests']}"))
    page = await ready(watched, "they drink")
    await page.click("button[aria-label='Change the link to Choose the wines']")
    form = page.locator("form[aria-label='The link to Choose the wines']")
    await form.locator("textarea").fill("they drink a lot")
    await form.locator("button:has-text('Save')").click()

    await page.wait_for_selector(".said:has-text('is changed')")
    await page.wait_for_selector(".links small:has-text('they drink a lot')")
    assert await story.links() == [("guests", "dinner", "they drink a lot")]
    await page.click("text=Undo")
    await page.wait_for_selector(".links small:text-matches('they drink$')")
    assert await story.links() == [("guests", "dinner", "they drink")]
    assert watched.complaints == []


@LINKING
@pytest.mark.alone
@pytest.mark.usefixtures("relay")
async def test_two_windows_link_at_once_and_each_shows_what_the_other_did(
    story: Story, open_page: Opener
) -> None:
    one, other = [await open_page(story.url("/link")) for _ in range(2)]
    for window in (one, other):
        await ready(window, "Ida has a cold")
    moves = [
        (one.page, "Ida has a cold", "Keep a cellar"),
        (other.page, "There will be turbot", "Choose the wines"),
    ]
    places = [
        (page, await position_of(page, note), await position_of(page, goal)) for page, note, goal in moves
    ]
    await asyncio.gather(*(drag(page, start, end, "mouse") for page, start, end in places))

    both = [("cold", "cellar", None), ("fish", "dinner", None), ("guests", "dinner", "they drink")]
    for window in (one, other):
        await window.until("document.querySelector('.picture-box')._cyreg.cy.edges().length === 3")
        await window.until("document.querySelector('.picture-box')._cyreg.cy.edges('.pending').length === 0")
        assert await edges(window.page) == [
            ("Ida has a cold", "Keep a cellar", False),
            ("Six guests come", "Choose the wines", False),
            ("There will be turbot", "Choose the wines", False),
        ]
        assert window.complaints == []
    assert await story.links() == both


@LINKING
async def test_the_same_link_from_two_windows_is_made_once(story: Story, open_page: Opener) -> None:
    pages = []
    for _ in range(2):
        watched = await open_page(story.url(f"/link?node={story.ids['fish']}"))
        page = await ready(watched, "Link it")
        await page.fill(".form input[role=combobox]", "cellar")
        await page.click("[role=option]:has-text('Keep a cellar')")
        pages.append(page)
    await asyncio.gather(*(page.click(".form button[type=submit]") for page in pages))

    for page in pages:
        await page.wait_for_selector(".said:has-text('Linked to “Keep a cellar”')")
    assert await story.links() == [("fish", "cellar", None), ("guests", "dinner", "they drink")]
    caller = await story.world.caller("bot", person="ann")
    goals = await story.world.services.goals.service.get(caller, [story.ids["cellar"]])
    assert goals[story.ids["cellar"]].progress == pytest.approx(0.08)


async def test_a_session_shows_its_coherence_at_each_change(story: Story, open_page: Opener) -> None:
    caller = await story.world.caller("bot", person="ann")
    sessions = story.world.services.sessions
    session = await sessions.start(caller, StartSession(task="Choose the wines", focus=("wine",)))
    offered = Salience(relevance_score=1, urgency=1, recency=1, user_attention=1)
    said = []
    for text in ("The wine is white", "The wine is cold", "A train leaves at nine"):
        story.world.clock.advance(seconds=10)
        done = await sessions.update(
            caller,
            UpdateWorkingMemory(
                session_id=session.uid,
                operation=WorkingMemoryOperation.ADD,
                content=ItemContent(content=text),
                salience=offered,
            ),
        )
        said.append(done.session.coherence)
    watched = await open_page(story.url(f"/sessions/{session.uid}"))
    page = await ready(watched, "How well it belonged together")
    line = page.locator("svg.coherence")
    label = f"Coherence at 3 changes: from {said[0]:.2f} to {said[-1]:.2f}"
    assert await line.get_attribute("aria-label") == label
    points = str(await line.locator("polyline").get_attribute("points")).split()
    assert [point.split(",")[0] for point in points] == ["0", "300", "600"]
    assert [float(point.split(",")[1]) for point in points] == pytest.approx([80 * (1 - c) for c in said])
    assert watched.complaints == []
