"""The queries of docs/demo.md, asked of the demo."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from prefrontal.api.demo.load import tell_story
from prefrontal.api.fixtures.clear import clear_organisation
from prefrontal.graph.config.settings import ROOT
from tests.api.conftest import Api, Client

SHOWN = re.compile(
    r"```graphql\n(?P<query>.*?)```\n\n```text\n(?P<text>.*?)```\n\n\(.*?(?P<left>\d+) of the \d+ tokens",
    re.DOTALL,
)


SESSION = re.compile(r"```graphql\n(?P<query>.*?)```\n\n```json\n(?P<answer>.*?)```", re.DOTALL)
PAGE = (ROOT / "docs" / "demo.md").read_text(encoding="utf-8")


@pytest.fixture
async def ann(api: Api) -> AsyncIterator[Client]:
    """Whoever asks the demo with the token that it prints."""
    org = f"{api.world.org}-demo"
    told = await tell_story(api.world.services, org, now=api.world.clock.now())
    token, _ = api.tokens.issue(told.principal(), timedelta(days=7))
    yield Client(api.http, token)
    await clear_organisation(api.world.services, org)


async def test_the_context_of_the_demo_gives_what_it_says(ann: Client) -> None:
    await first_query(ann)


async def first_query(ann: Client) -> None:
    shown = SHOWN.search(PAGE)
    assert shown
    answer = await ann.run(shown["query"])
    context = answer["assembleContext"]["context"]
    pattern = re.escape(shown["text"].strip()).replace("…", ".+?")
    assert re.fullmatch(pattern, context["text"].strip(), re.DOTALL), context["text"]
    assert context["truncated"] is False
    # Whoever asks is told whether something was not ready in time.
    assert (context["partial"], context["late"]) == (False, [])
    # The ids in it are of different length in tokens each time.
    assert abs(int(shown["left"]) - context["budgetRemaining"]) < 100


@pytest.mark.nightly("test_docs of the fixtures holds the demo")
async def test_the_session_of_the_demo_holds_what_it_says(ann: Client) -> None:
    await session_query(ann)


async def session_query(ann: Client) -> None:
    shown = SESSION.search(PAGE, PAGE.index("## Working memory"))
    assert shown
    assert await ann.run(shown["query"]) == json.loads(shown["answer"])


JOBS_OF_A_STORY = (
    "expire_observations",
    "end_idle_sessions",
    "correlate_sessions",
    "expire_digests",
    "escalate_actions",
    "close_abandoned_turns",
    "delete_outdated",
    "delete_archived",
)


@pytest.mark.alone
@pytest.mark.parametrize("hours", [1, pytest.param(24, marks=pytest.mark.nightly("an hour later"))])
async def test_whoever_reads_the_page_later_still_sees_what_it_says(
    api: Api, ann: Client, hours: int
) -> None:
    api.world.clock.advance(hours=hours)
    jobs = api.world.services.jobs
    for name in JOBS_OF_A_STORY:
        await jobs.run_once(jobs.named[name])
    await session_query(ann)
    await first_query(ann)
