"""The agent's loop of `examples/`, as a process of its own, with a real server."""

from __future__ import annotations

import asyncio
import os
import re
import sys

import pytest

from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.config.settings import ROOT
from tests.api.conftest import Api

pytestmark = pytest.mark.slow

PROGRAM = ROOT / "examples" / "agent_loop.py"


async def test_each_round_of_the_loop_is_a_turn_that_is_committed(
    api: Api, served: tuple[str, Services]
) -> None:
    address, _ = served
    client = api.client()
    env = {
        "PATH": os.environ["PATH"],
        "PREFRONTAL_URL": f"http://{address}",
        "TOKEN": client.token,
    }
    prompts = "What is the weather?", "What is the weather in Paris?"
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(PROGRAM), *prompts,
        env=env, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    said, complaints = await process.communicate()

    assert (process.returncode, complaints.decode()) == (0, "")
    text = said.decode()
    assert "\nI do not know: no place was given.\n" in text
    assert text.endswith("\nThe sky in Paris is clear.\n")
    names = re.findall(r"^(turn-\S+): OK, exp_", text, flags=re.MULTILINE)
    query = (
        "query ($id: String!) { turn(id: $id) { status commitStatus invocations { nodes { tool status } }"
        " outcomes { nodes { success } } exports { totalCount } receipts { totalCount } } }"
    )
    turns = [(await client.run(query, id=name))["turn"] for name in names]
    assert [each["invocations"]["nodes"] for each in turns] == [
        [{"tool": "weather", "status": "FAILED"}],
        [{"tool": "weather", "status": "SUCCESS"}],
    ]
    assert [each["outcomes"]["nodes"] for each in turns] == [[{"success": False}], [{"success": True}]]
    assert {
        (each["status"], each["commitStatus"], each["exports"]["totalCount"], each["receipts"]["totalCount"])
        for each in turns
    } == {("COMPLETE", "OK", 1, 1)}
    # The second context knows what was said, and what is to be done about the failure.
    second = text.partition("I do not know: no place was given.\n")[2]
    assert "I do not know: no place was given." in second
    assert '"Find another way: weather fails" (follow_up, pending' in second


def test_it_is_short_and_needs_nothing_but_httpx() -> None:
    program = PROGRAM.read_text(encoding="utf-8")
    assert len(program.splitlines()) < 60
    imported = re.findall(r"^(?:import|from) (\w+)", program, flags=re.MULTILINE)
    assert set(imported) - set(sys.stdlib_module_names) == {"httpx"}
