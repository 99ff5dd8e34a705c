"""The README's first query, asked of the demo."""

from __future__ import annotations

import re
from datetime import timedelta

from prefrontal.api.demo.load import tell_story
from prefrontal.api.fixtures.clear import clear_organisation
from prefrontal.graph.config.settings import ROOT
from tests.api.conftest import Api, Client

SHOWN = re.compile(
    r"```graphql\n(?P<query>.*?)```\n\n```text\n(?P<text>.*?)```\n\n\(.*?(?P<left>\d+) of the \d+ tokens",
    re.DOTALL,
)


async def test_the_first_query_of_the_readme_gives_what_it_says(api: Api) -> None:
    shown = SHOWN.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert shown
    org = f"{api.world.org}-demo"
    told = await tell_story(api.world.services, org, now=api.world.clock.now())
    try:
        token, _ = api.tokens.issue(told.principal(), timedelta(hours=1))
        answer = await Client(api.http, token).run(shown["query"])
    finally:
        await clear_organisation(api.world.services, org)
    context = answer["assembleContext"]["context"]
    pattern = re.escape(shown["text"].strip()).replace("…", ".+?")
    assert re.fullmatch(pattern, context["text"].strip(), re.DOTALL), context["text"]
    assert context["truncated"] is False
    # The ids in it are of different length in tokens each time.
    assert abs(int(shown["left"]) - context["budgetRemaining"]) < 100
