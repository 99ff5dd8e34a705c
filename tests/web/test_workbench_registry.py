"""The registry and the history in a real browser: reading, reviewing, exporting and reverting."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx
import pytest
from playwright.async_api import Page, Route

from prefrontal.graph.caller import Principal
from tests.web.conftest import Opener, Site
from tests.web.looking import HOSTILE, WINDOWS, findings, ready

NIGHTLY = pytest.mark.nightly("an approval and a revert in the page are tried with each change")
A_REVERT = pytest.mark.nightly("a revert in the page shows the versions")

SUBMIT = """mutation($input: SubmitRegistryProposalInput!) { done: submitRegistryProposal(input: $input) {
  ok problem { message } ... on SubmitRegistryProposalPayload { proposal { id version } } } }"""
READ = """query($id: ID!) { node(id: $id) { ... on RegistryProposal {
  status statusReason version reviews { decision comments by { name } } } } }"""
REGISTER = """mutation($input: RegisterActionTypeInput!) { done: registerActionType(input: $input) {
  ok problem { message } } }"""
UPSERT = """mutation($input: UpsertGoalInput!) { done: upsertGoal(input: $input) {
  ok problem { message } ... on UpsertGoalPayload { goal { id } } } }"""
VERSIONS = "query($id: ID!) { history(id: $id) { nodes { number revertedTo by { name } } } }"
GOAL = "query($id: ID!) { goal(id: $id) { title description priority status version } }"

TASTE = {
    "proposalType": "ADD",
    "typeId": "taste_wine",
    "displayName": "Taste a wine",
    "description": "Somebody tastes it before more is bought.",
    "diff": {"allowed_owners": ["user"], "policy_handlers": {"completion_guard": "choice_required"}},
    "allowedStatuses": ["pending", "poured", "completed", "cancelled"],
    "allowedTransitions": {
        "pending": ["poured", "cancelled"],
        "poured": ["pending", "completed", "cancelled"],
    },
    "rationale": "A poured bottle cannot wait.",
}


@dataclass
class People:
    """An agent of Ann's, who proposes and works, and Mo, who maintains the registry."""

    site: Site

    def token(self, who: str) -> str:
        world = self.site.world
        principals = {
            "bot": world.principal("bot", person="ann"),
            "mo": Principal(org=world.org, agent=None, person="mo", roles=("maintainer",)),
            "ann": Principal(org=world.org, agent=None, person="ann", roles=("maintainer",)),
            "reader": Principal(org=world.org, agent=None, person="ria", roles=("reader",)),
            "stranger": world.principal("other"),
        }
        return self.site.tokens.issue(principals[who], timedelta(hours=1))[0]

    def url(self, path: str, who: str = "bot") -> str:
        return f"{self.site.url}{path}#token={self.token(who)}"

    async def ask(self, query: str, variables: dict[str, Any], who: str = "bot") -> dict[str, Any]:
        async with httpx.AsyncClient() as client:
            answer = await client.post(
                f"{self.site.url}/graphql",
                json={"query": query, "variables": variables},
                headers={"Authorization": f"Bearer {self.token(who)}"},
                timeout=60,
            )
        said = answer.json()
        assert "errors" not in said, said
        return said["data"]

    async def do(self, query: str, given: dict[str, Any], who: str = "bot") -> dict[str, Any]:
        done = (await self.ask(query, {"input": given}, who))["done"]
        assert done["ok"], done
        return done

    async def propose(self, **given: Any) -> str:
        return (await self.do(SUBMIT, TASTE | given))["proposal"]["id"]

    async def proposal(self, uid: str) -> dict[str, Any]:
        return (await self.ask(READ, {"id": uid}, "mo"))["node"]

    async def goal(self, *changes: dict[str, Any]) -> str:
        """A goal with a version for each change."""
        uid = (await self.do(UPSERT, {"title": "Choose the wines", "priority": "low"}))["goal"]["id"]
        for change in changes:
            await self.do(UPSERT, {"id": uid, **change})
        return uid


@pytest.fixture
def people(site: Site) -> People:
    return People(site)


async def drawn(page: Page) -> tuple[dict[str, str], list[tuple[str, str, bool]]]:
    """The statuses of the diagram with their shapes, and its lines: from, to, and whether also back."""
    statuses, lines = await page.evaluate(
        "() => { const core = document.querySelector('.picture-box')._cyreg.cy; return ["
        "Object.fromEntries(core.nodes().map(each => [each.id(), each.style('shape')])),"
        "core.edges().map(each => [each.source().id(), each.target().id(), each.hasClass('both-ways')])] }"
    )
    return statuses, sorted(tuple(line) for line in lines)


async def diff_of(page: Page) -> list[tuple[str, str]]:
    """The lines of a comparison, each with its sign."""
    rows = await page.locator(".diff li").all()
    texts = [(await row.get_attribute("data-sign"), await row.inner_text()) for row in rows]
    return [(str(sign), text.split("\n")[-1].split(": ", 1)[-1]) for sign, text in texts]


async def test_a_type_is_a_state_diagram_and_the_same_as_a_list(people: People, open_page: Opener) -> None:
    definition = {
        "id": "tasting",
        "displayName": "Tasting",
        "allowedOwners": ["USER"],
        "allowedStatuses": ["pending", "poured", "completed"],
        "allowedTransitions": [
            {"status": "pending", "to": ["poured"]},
            {"status": "poured", "to": ["pending", "completed"]},
        ],
        "defaultPolicies": {"requiresConfirmation": True, "autoComplete": False, "blocking": False},
    }
    await people.do(REGISTER, {"definition": definition, "approved": True}, "mo")
    watched = await open_page(people.url("/registry"))
    page = await ready(watched, "Action types")
    await page.click(".types .row-link:text-is('Tasting')")
    await page.wait_for_url("**/registry/tasting")
    await page.wait_for_selector(".picture-box canvas")

    statuses, lines = await drawn(page)
    assert statuses == {"pending": "ellipse", "poured": "round-rectangle", "completed": "cut-rectangle"}
    assert lines == [("pending", "poured", True), ("poured", "completed", False)]
    listed = await page.locator(".transitions > li").all_inner_texts()
    assert [item.split("\n") for item in listed] == [
        ["Pending", "A new action starts here", "→ poured"],
        [
            "Poured",
            "On the way",
            "→ pending",
            "→ completed",
            "only a person; once a person has confirmed it",
        ],
        ["Completed", "Nothing follows"],
    ]
    assert "Defined by your organisation, version 1, since" in await page.inner_text(".facts")
    # The list chooses in the picture, and the address keeps it.
    await page.click(".transitions-from:has-text('Poured')")
    await watched.until("location.search === '?at=poured'")
    await page.reload()
    await page.wait_for_selector(".transitions > li[data-here=true] >> text=Poured")
    await watched.until("document.querySelector('.picture-box')._cyreg.cy.$('#poured').selected()")
    assert await findings(page) == []
    assert (watched.complaints, watched.foreign) == ([], [])


async def test_a_proposal_shows_what_it_changes_and_is_approved_in_the_page(
    people: People, open_page: Opener
) -> None:
    uid = await people.propose(
        proposalType="MODIFY",
        typeId="reminder",
        displayName=None,
        description=None,
        diff={"description": "Reminds, and asks."},
        allowedStatuses=None,
        allowedTransitions=None,
        suggestedPolicies={"blocking": True},
    )
    watched = await open_page(people.url("/registry", "mo"))
    page = await ready(watched, "Change the type “Reminder”")
    await page.click(".row-link:has-text('Reminder') >> nth=0")
    await page.wait_for_url(f"**/registry/{uid}")
    await page.wait_for_selector(".diff")
    assert await diff_of(page) == [
        ("gone", "Something to bring up at a time."),
        ("new", "Reminds, and asks."),
        ("new", "While an action is open, the other actions of its goal cannot start."),
    ]
    await page.reload()
    await page.fill("textarea", "Good. Look at it again in March.")
    await page.click("button:text-is('Approve')")
    await page.wait_for_selector("[role=status]:has-text('You approved it')")
    assert await people.proposal(uid) == {
        "status": "APPROVED",
        "statusReason": None,
        "version": 2,
        "reviews": [
            {"decision": "APPROVE", "comments": "Good. Look at it again in March.", "by": {"name": "mo"}}
        ],
    }
    await page.wait_for_selector(".life strong:has-text('Approved')")
    steps = await page.locator(".life strong").all_inner_texts()
    assert steps == ["Submitted", "Approved", "Exported", "Merged"]

    # Without a repository nothing can be exported, and the page says so.
    await page.click("text=Export as a branch")
    refusal = page.locator(".refusal")
    await refusal.wait_for()
    assert "PREFRONTAL_REGISTRY_REPOSITORY" in await refusal.inner_text()
    assert await findings(page) == []
    assert watched.complaints == []


@NIGHTLY
async def test_a_proposal_is_rejected_by_keyboard(people: People, open_page: Opener) -> None:
    uid = await people.propose()
    watched = await open_page(people.url(f"/registry/{uid}", "mo"))
    page = await ready(watched, "Your review")
    await page.focus("textarea")
    await page.keyboard.type("A user task does.")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.wait_for_selector("[role=status]:has-text('You rejected it')")
    found = await people.proposal(uid)
    assert (found["status"], found["reviews"][0]["comments"]) == ("REJECTED", "A user task does.")
    # The page says it at once and reads the proposal again a moment later.
    await page.wait_for_selector(".life strong:has-text('Rejected')")
    assert await page.locator(".life strong").all_inner_texts() == ["Submitted", "Rejected"]


@NIGHTLY
async def test_a_refused_review_says_the_reason_and_changes_nothing(
    people: People, open_page: Opener
) -> None:
    uid = await people.propose()
    watched = await open_page(people.url(f"/registry/{uid}", "mo"))
    page = await ready(watched, "Your review")
    await page.fill("textarea", "x" * 10_001)
    await page.click("button:text-is('Approve')")
    await page.wait_for_selector(".refusal")
    said = (await page.inner_text(".refusal")).split("\n")
    assert [line for line in said if line.strip()] == [
        "It was not reviewed.",
        "At most 10000 characters, not 10001. Shorten it, then try again.",
        "too_large, field comments",
    ]
    # What was written is still there, and nothing moved.
    assert len(await page.input_value("textarea")) == 10_001
    assert (await people.proposal(uid))["status"] == "OPEN"


@pytest.mark.parametrize(
    ("who", "reason"),
    [
        ("bot", "Only a maintainer reviews proposals, and your token has the role writer."),
        ("reader", "Only a maintainer reviews proposals, and your token has the role reader."),
        ("ann", "You submitted or revised this proposal, so another maintainer has to review it."),
    ],
)
@NIGHTLY
async def test_who_may_not_review_reads_why(people: People, open_page: Opener, who: str, reason: str) -> None:
    uid = await people.propose()
    watched = await open_page(people.url(f"/registry/{uid}", who))
    page = await ready(watched, "It waits for a review")
    assert reason in await page.inner_text(".decide")
    assert await page.locator("button:text-is('Approve')").count() == 0
    may_withdraw = await page.locator("text=Withdraw the proposal").count() == 1
    assert may_withdraw == (who != "reader")


@NIGHTLY
@pytest.mark.alone
@pytest.mark.usefixtures("relay")
async def test_a_proposal_is_withdrawn_and_what_changes_elsewhere_appears(
    people: People, open_page: Opener
) -> None:
    uid = await people.propose()
    watched = await open_page(people.url(f"/registry/{uid}", "bot"))
    page = await ready(watched, "It waits for a review")
    await people.do(SUBMIT, {"id": uid, "rationale": "Two bottles stayed open."})
    await page.wait_for_selector("text=Two bottles stayed open.")
    await page.click("text=Withdraw the proposal")
    await page.keyboard.type("We drank them.")
    await page.click("button:text-is('Withdraw it')")
    await page.wait_for_selector("[role=status]:has-text('withdrawn')")
    found = await people.proposal(uid)
    assert (found["status"], found["statusReason"], found["version"]) == ("WITHDRAWN", "We drank them.", 3)
    await page.wait_for_selector("text=“We drank them.”")

    other = await open_page(people.url("/registry"))
    page = await ready(other, "No proposal waits")
    await people.propose(typeId="decant", displayName="Decant")
    await page.wait_for_selector(".row:has-text('Decant') >> text=new")
    await page.select_option("select", "WITHDRAWN")
    await page.wait_for_selector(".row:has-text('Taste a wine')")
    assert page.url == f"{people.site.url}/registry?status=WITHDRAWN"
    await page.reload()
    await page.wait_for_selector(".row:has-text('Taste a wine')")
    assert await page.locator(".row:has-text('Decant')").count() == 0


@A_REVERT
async def test_a_record_is_found_and_its_versions_say_what_changed(people: People, open_page: Opener) -> None:
    uid = await people.goal(
        {"title": "Choose the white wines"}, {"description": "For six.", "priority": "high"}
    )
    watched = await open_page(people.url("/history"))
    page = await ready(watched, "Changed lately")
    await page.wait_for_selector(".row:has-text('version 3: changed description and priority by bot')")
    await page.fill("input[type=search]", "white wines")
    await watched.until("location.search === '?words=white+wines'")
    await page.click(".row-link:has-text('Choose the white wines')")
    await page.wait_for_url(f"**/history/{uid}")

    await page.wait_for_selector(".version >> nth=2")
    titles = await page.locator(".version h4").all_inner_texts()
    assert [title.split("\n")[-1].split(": ", 1)[-1] for title in titles] == [
        "Changed description and priority",
        "Changed title",
        "Created",
    ]
    title = page.locator(".version >> nth=1")
    assert await title.locator("ins").all_inner_texts() == ["white"]
    assert await title.locator("del").count() == 0
    # An id is as good as words.
    await page.goto(f"{people.site.url}/history")
    await page.fill("input[type=search]", uid)
    await page.wait_for_url(f"**/history/{uid}")

    # Two versions are compared, and the address keeps them.
    await page.click("[aria-label='Compare with now: version 1']")
    await page.wait_for_selector("h3:has-text('From version 1 to version 3')")
    names = await page.locator(".compare .changes dt").all_inner_texts()
    assert sorted(names) == ["Description", "Priority", "Title"]
    await page.select_option(".compare select >> nth=1", "2")
    await page.wait_for_selector("h3:has-text('From version 1 to version 2')")
    await page.reload()
    await page.wait_for_selector("h3:has-text('From version 1 to version 2')")
    assert await page.locator(".compare .changes dt").all_inner_texts() == ["Title"]
    assert await findings(page) == []
    assert (watched.complaints, watched.foreign) == ([], [])


async def test_a_revert_in_the_page_is_a_new_version(people: People, open_page: Opener) -> None:
    uid = await people.goal({"title": "Choose the reds", "priority": "high"})
    watched = await open_page(people.url(f"/history/{uid}"))
    page = await ready(watched, "Created")
    await page.focus("[aria-label='Revert to this version: 1']")
    await page.keyboard.press("Enter")
    dialog = page.locator("[role=dialog]")
    await dialog.wait_for()
    names = await dialog.locator(".changes dt").all_inner_texts()
    assert sorted(names) == ["Priority", "Title"]
    assert await findings(page) == []
    # Nothing happens before it is confirmed, and the focus returns to where it was.
    await watched.until("document.activeElement.closest('[role=dialog]') !== null")
    await page.keyboard.press("Escape")
    await dialog.wait_for(state="detached")
    # The focus returns a moment after the dialog is gone.
    await watched.until("document.activeElement.getAttribute('aria-label') === 'Revert to this version: 1'")
    assert (await people.ask(GOAL, {"id": uid}))["goal"]["version"] == 2

    await page.keyboard.press("Enter")
    await dialog.locator("button:has-text('Revert to version 1')").click()
    await page.wait_for_selector("[role=status]:has-text('Reverted to version 1. This is version 3.')")
    await page.wait_for_selector(".version[data-latest=true]:has-text('Reverted to version 1')")
    assert (await people.ask(GOAL, {"id": uid}))["goal"] == {
        "title": "Choose the wines",
        "description": None,
        "priority": "low",
        "status": "PENDING",
        "version": 3,
    }
    versions = (await people.ask(VERSIONS, {"id": uid}))["history"]["nodes"]
    assert [(each["number"], each["revertedTo"], each["by"]["name"]) for each in versions] == [
        (3, 1, "bot"),
        (2, None, "bot"),
        (1, None, "bot"),
    ]
    assert watched.complaints == []


@NIGHTLY
async def test_a_refused_revert_says_the_reason(people: People, open_page: Opener) -> None:
    uid = await people.goal({"title": "Choose the reds"})
    watched = await open_page(people.url(f"/history/{uid}"))
    page = await ready(watched, "Created")

    async def overtaken(route: Route) -> None:
        if "mutation Revert" in (route.request.post_data or ""):
            await people.do(UPSERT, {"id": uid, "priority": "critical"})
        await route.continue_()

    await page.route("**/graphql", overtaken)
    await page.click("[aria-label='Revert to this version: 1']")
    await page.locator("[role=dialog] button:has-text('Revert to version 1')").click()
    refusal = page.locator("[role=dialog] .refusal")
    await refusal.wait_for()
    assert "It was not reverted." in await refusal.inner_text()
    assert "Look at it again, then try again." in await refusal.inner_text()
    assert (await refusal.locator("small").inner_text()).startswith("version_conflict")
    assert await findings(page) == []
    await page.click("[role=dialog] button:text-is('Cancel')")
    goal = (await people.ask(GOAL, {"id": uid}))["goal"]
    assert (goal["title"], goal["version"]) == ("Choose the reds", 3)


@pytest.mark.alone
@pytest.mark.usefixtures("relay")
@NIGHTLY
async def test_a_new_version_of_somebody_else_appears_with_a_mark(people: People, open_page: Opener) -> None:
    uid = await people.goal()
    watched = await open_page(people.url(f"/history/{uid}"))
    page = await ready(watched, "Created")
    await people.do(UPSERT, {"id": uid, "title": "Choose the reds"})
    await page.wait_for_selector(".version[data-latest=true]:has-text('Changed title') >> text=new")
    assert await page.inner_text("h2") == "Choose the reds"


@A_REVERT
async def test_many_versions_and_a_long_text_are_read_in_pages(people: People, open_page: Opener) -> None:
    long = "Nothing above 45 euros a bottle. " * 60
    uid = await people.goal({"description": long}, *({"title": f"Name {at}"} for at in range(23)))
    watched = await open_page(people.url(f"/history/{uid}"))
    page = await ready(watched, "25 versions, the newest first")
    assert await page.locator(".version").count() == 20
    await page.click("text=Show more versions")
    await page.wait_for_selector(".version >> nth=24")
    text = page.locator(".version:has-text('Changed description') .changes-text")
    assert (await text.inner_text()).endswith("euros…")
    await page.click("text=Show the whole text")
    assert (await text.inner_text()).strip() == long.strip()
    # A comparison with a version that is not loaded loads it.
    await page.goto(f"{people.site.url}/history/{uid}?compare=yes&from=1")
    await page.wait_for_selector(".compare .changes dt:text-is('Description')")


@pytest.mark.nightly("the API refuses what is others', and the views show what it answers")
async def test_a_stranger_sees_no_record_of_others(people: People, open_page: Opener) -> None:
    uid = await people.goal({"title": "Choose the reds"})
    watched = await open_page(people.url(f"/history/{uid}", "stranger"))
    page = await ready(watched, "There is no such record")
    assert "Choose the" not in await page.content()
    await page.goto(f"{people.site.url}/history")
    await page.wait_for_selector(".view .state h2, .view h3")
    await page.fill("input[type=search]", "Choose the reds")
    await page.wait_for_selector("text=No record has these words")
    assert await page.locator(".row").count() == 0
    # Neither do addresses of nothing show anything.
    for path, words in (
        ("/registry/no_such_type", "There is no such action type"),
        (f"/registry/prop_{'0' * 26}", "There is no such proposal"),
        (f"/history/goal_{'0' * 26}", "There is no such record"),
    ):
        await page.goto(f"{people.site.url}{path}")
        await page.wait_for_selector(f"text={words}")


@NIGHTLY
async def test_what_is_not_reverted_says_why(people: People, open_page: Opener) -> None:
    uid = await people.propose()
    await people.do(SUBMIT, {"id": uid, "rationale": "Another reason."})
    watched = await open_page(people.url(f"/history/{uid}"))
    page = await ready(watched, "A proposal is not reverted. Withdraw it on its page instead.")
    assert await page.locator("button:has-text('Revert')").count() == 0
    await page.click("a:text-is('Show it')")
    await page.wait_for_url(f"**/registry/{uid}")
    await page.click("a:has-text('2 versions')")
    await page.wait_for_url(f"**/history/{uid}")


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
async def test_everybody_can_use_the_lists_and_a_type_of_hostile_texts(
    people: People, open_page: Opener, width: int, scheme: str
) -> None:
    definition = {
        "id": "hostile",
        "displayName": HOSTILE,
        "description": HOSTILE,
        "allowedOwners": ["AGENT", "USER"],
        "allowedStatuses": ["pending", "completed"],
        "allowedTransitions": [{"status": "pending", "to": ["completed"]}],
    }
    await people.do(REGISTER, {"definition": definition, "approved": True}, "mo")
    uid = await people.propose(displayName=HOSTILE, rationale=HOSTILE, risks=[HOSTILE])
    goal = await people.goal(
        {"title": HOSTILE, "constraints": [HOSTILE]}, {"description": HOSTILE, "metrics": {HOSTILE: 1}}
    )
    addresses = {
        "registry": "/registry",
        "registry-type": "/registry/hostile",
        "registry-proposal": f"/registry/{uid}",
        "history": "/history",
        "history-compare": f"/history/{goal}?compare=yes&from=1",
    }
    for name, address in addresses.items():
        watched = await open_page(people.url(address, "bot"), width=width, scheme=scheme)
        page = await ready(watched, "onerror")
        await watched.keep(f"workbench-{name}-{width}-{scheme}.png")
        assert await page.title() == "Prefrontal"
        assert await findings(page) == [], name
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        assert (watched.complaints, watched.foreign) == ([], []), name
        await page.context.close()
