"""`prefrontal context` shows a prompt's context, and writes no turn."""

from __future__ import annotations

import json

import pytest

from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember
from tests.cli.conftest import Cli
from tests.support.world import World


@pytest.mark.covers("CTX-01", "CTX-21")
async def test_a_context_is_shown_with_what_was_left_out(cli: Cli, world: World) -> None:
    caller = await world.caller("bot")
    drafts = [
        MemoryDraft(kind=MemoryKind.FACT, content=f"Ann drinks {tea} tea") for tea in ("green", "black")
    ]
    await world.services.memory.remember(caller, Remember(memories=drafts))
    goal = await world.services.goals.service.create(caller, CreateGoal(title="Buy <tea>"))
    before = await world.counts()

    def shown(*more: str) -> tuple[str, str]:
        done = cli("context", "Which tea?", "--org", world.org, "--agent", "bot", *more)
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr

    text, said = shown()
    assert text.startswith(
        f'# Goals\n- {goal.uid} "Buy <tea>" (medium, pending, 0%)\n'
        f'# Facts\n- {world.clock.now():%Y-%m-%d} "Ann drinks '
    )
    assert "matching" in said
    assert "of 1000. Nothing was left out." in said
    tagged, _ = shown("--format", "xml")
    assert f'<goal id="{goal.uid}">"Buy &lt;tea&gt;" (medium, pending, 0%)</goal>' in tagged
    nothing, said = shown("--budget", "0")
    assert (nothing, "Left out: 3 over budget." in said) == ("", True)
    whole = json.loads(shown("--json")[0])
    assert [item["kind"] for item in whole["selection"]["items"]] == ["goal", "fact", "fact"]
    assert await world.counts() == before


def test_an_organisation_that_is_not_there_is_named(cli: Cli) -> None:
    done = cli("context", "Which tea?", "--org", "nobody-here", "--agent", "bot")

    assert done.returncode == 1
    assert "prefrontal org create nobody-here" in done.stderr
