"""`prefrontal trace` prints a turn: what it saw, called, decided, wrote and published, in order."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from prefrontal.api.cli.trace import read_turn
from prefrontal.api.cli.trace_lines import lines_of, word_of
from prefrontal.graph.context.record import AssembleContext
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.errors import NotFound
from prefrontal.graph.journal.record import TraceKind
from prefrontal.graph.lessons.outcome_record import FeedbackDraft, OutcomeDraft
from prefrontal.graph.tools.record import TrackToolInvocation
from prefrontal.graph.turns.commit_record import CommitStore, CommitTurn, StateDraft
from prefrontal.graph.turns.record import StartTurn, TurnObservation, TurnProgress
from tests.cli.conftest import Cli
from tests.support.failing import failing
from tests.support.world import World

TURN = "trip [1]"


async def traced_goal(world: World) -> str:
    """A turn with a failed call, a delta that is refused and a store that fails at first; return its goal."""
    bot, services = await world.caller(), world.services
    goal = await services.goals.service.create(bot, CreateGoal(title="Take a train"))
    await services.turns.start.start(bot, StartTurn(turn_id=TURN))
    world.clock.advance(seconds=2)
    prompt = AssembleContext(prompt="Which train?", budget=400, turn_id=TURN)
    await services.context.assemble(bot, prompt)
    world.clock.advance(seconds=1)
    failed = TrackToolInvocation(
        turn_id=TURN, tool="trains", result={"error": "down [red]"}, execution_time_ms=87
    )
    worked = TrackToolInvocation(turn_id=TURN, tool="buses", result={"at": "8:10"}, execution_time_ms=41)
    for call in (failed, worked):
        await services.tools.track(bot, call)
        world.clock.advance(seconds=1)
    world.clock.advance(seconds=60)
    command = CommitTurn(
        turn_id=TURN,
        user_input="Which train?",
        assistant_response="None; a bus at 8:10.",
        outcome=OutcomeDraft(success=True, result="A bus is found."),
        feedback=FeedbackDraft(what_worked="buses knows the times"),
        events=(StateDraft(content="Ann took the bus.", importance=0.9), StateDraft(content="It rained.")),
        progress=(
            TurnProgress(goal_id=goal.uid, delta=0.5, note="found"),
            TurnProgress(goal_id="goal_unknown", delta=0.5, note="found"),
        ),
        observations=(TurnObservation(content="The bus leaves at 8:10", confidence=0.9),),
    )
    with failing(services, CommitStore.CONVERSATION, times=2):
        await services.turns.finalization.commit(bot, command)
    return goal.uid


def lines_without_markup(turn: dict[str, Any]) -> list[str]:
    """The lines without markup."""
    return [re.sub(r"(?<!\\)\[/?[a-z ]*\]", "", line).replace("\\[", "[") for line in lines_of(turn)]


@pytest.mark.covers("TRC-30")
async def test_a_turn_is_printed_with_all_that_happened_in_order(cli: Cli, world: World) -> None:
    await traced_goal(world)
    given = ("trace", TURN, "--org", world.org, "--agent", "bot")

    done = cli(*given, COLUMNS="80")
    assert done.returncode == 0, done.stderr
    text = done.stdout
    assert text.startswith(f"turn {TURN}  complete, commit ok\n")
    assert max(map(len, text.splitlines())) <= 80
    for line in (
        "      +2.0 s  saw       Context assembled: 1 item, ",
        "      +3.0 s  failed    trains failed, 87 ms: down [red]\n",
        "      +4.0 s  called    buses ok, 41 ms\n",
        "    +0:01:05  decided   Turn evaluated; success; issues: 1 tool failed",
        "    +0:01:05  failed    Delta refused; delta progress; code not_found\n",
        "    +0:01:05  published State published: exp_",
        "    +0:01:05  failed    Not committed to conversation; code ",
        "    +0:01:05  retried   Committed to conversation; attempts ",
        "  completion     ",
        "  finalization   ",
        "  success\n    A bus is found.\n    lesson: ",
    ):
        assert text.count(line) >= 1, line
    words = re.findall(r"^ +\+\S+(?: s)? +([a-z]+) ", text, flags=re.MULTILINE)
    assert words[0] == "saw"
    assert words.index("called") < words.index("decided") < words.index("published") < words.index("retried")

    whole = json.loads(cli(*given, "--json").stdout)
    assert (whole["key"], whole["status"], whole["commitStatus"]) == (TURN, "COMPLETE", "OK")
    assert [each["tool"] for each in whole["invocations"]["nodes"]] == ["trains", "buses"]
    assert [word_of(entry) for entry in whole["trace"]["nodes"]] == words
    assert len(whole["exports"]["nodes"]) == 1


async def test_a_turn_with_more_entries_than_a_page_is_printed_whole(world: World) -> None:
    bot = await world.caller()
    for number in range(2):
        notes = [
            TurnProgress(goal_id=f"goal_{number}_{each}", delta=0.1, note="unknown") for each in range(120)
        ]
        await world.services.turns.finalization.commit(bot, CommitTurn(turn_id="long", progress=notes))

    found = await read_turn(world.services, world.principal(roles=("reader",)), "long")

    refused = [entry for entry in found["trace"]["nodes"] if entry["kind"] == "DELTA_REFUSED"]
    assert len(refused) == 240
    lines = lines_without_markup(found)
    assert sum("Delta refused" in line for line in lines) == 240
    assert sum(line.startswith("phases") for line in lines) == 2


@pytest.mark.nightly("test_rights_turns shows who may read a turn")
async def test_a_turn_that_may_not_be_read_is_not_printed(cli: Cli, world: World) -> None:
    await traced_goal(world)
    await world.caller("other")

    with pytest.raises(NotFound):
        await read_turn(world.services, world.principal("other", roles=("reader",)), TURN)
    done = cli("trace", "nothing", "--org", world.org, "--agent", "bot")
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is no turn 'nothing'" in done.stderr


def test_every_kind_of_entry_has_a_word() -> None:
    words = {word_of({"kind": kind.name, "details": {}}) for kind in TraceKind}
    assert words == {"saw", "called", "decided", "wrote", "failed", "published", "escalated"}
    again = {"kind": "STORE_COMMITTED", "details": {"attempts": 3}}
    assert word_of(again) == "retried"
