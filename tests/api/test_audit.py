"""GraphQL over HTTP as its audit sees it: every check of the npm package `graphql-http`."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from pathlib import Path

import pytest

from prefrontal.graph.services import Services
from tests.api.conftest import Api

pytestmark = pytest.mark.alone

FOLDER = Path(__file__).with_name("audit")
CHECKS = 61


async def audited(address: str, token: str) -> list[dict[str, str]]:
    """What each check of the audit says of a server."""
    node = shutil.which("node")
    assert node, "no Node.js; install it with: make deps-test"
    assert (FOLDER / "node_modules" / "graphql-http").is_dir(), "no audit; install it with: make deps-test"
    process = await asyncio.create_subprocess_exec(
        node,
        FOLDER / "audit.mjs",
        f"http://{address}/graphql",
        env={"AUDIT_TOKEN": token, "PATH": os.environ["PATH"]},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return json.loads(out)


async def test_every_check_of_the_audit_passes(api: Api, served: tuple[str, Services]) -> None:
    address, _ = served
    results = await audited(address, api.client().token)
    wrong = [f"{each['id']} {each['name']}: {each['reason']}" for each in results if each["status"] != "ok"]
    assert not wrong, "\n".join(wrong)
    assert len({each["id"] for each in results}) == len(results) == CHECKS


async def test_the_audit_finds_faults_where_there_are_some(api: Api, served: tuple[str, Services]) -> None:
    # A server that lets nobody in: what has to be 200 is not, so the audit above did look.
    address, _ = served
    results = await audited(address, "not a token")
    found = {each["id"]: each["status"] for each in results}
    assert (found["4655"], found["2C94"], found["03D4"]) == ("error", "error", "error")
