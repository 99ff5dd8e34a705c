"""The examples of docs/graphql.md, run as they are written."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.config.settings import ROOT
from tests.api.conftest import Api
from tests.api.test_governance import with_settings
from tests.support.clock import FixedClock
from tests.support.gitting import registry_repository

pytestmark = pytest.mark.slow

EXAMPLE = re.compile(
    r"^```sh\n(?P<command>.*?)^```\n```text\n(?P<expected>.*?)^```\n", re.DOTALL | re.MULTILINE
)


async def output_of(command: str, url: str, tokens: dict[str, str]) -> str:
    process = await asyncio.create_subprocess_exec(
        shutil.which("bash") or "bash",
        "-euc",
        command,
        env={"URL": url, "PATH": os.environ["PATH"], **tokens},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out.decode().strip()


class Ticking(FixedClock):
    """Moves on a little whenever it is looked at: what happens later is later."""

    def now(self) -> datetime:
        return self.advance(milliseconds=1)


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    return registry_repository(tmp_path / "registry")


@pytest.fixture
def api(api: Api, registry: Path) -> Api:
    """Behind a server that has its registry in a clone."""
    ticking = replace(api, world=replace(api.world, clock=Ticking()))
    return with_settings(ticking, registry_dir=registry / "registry", registry_repository=registry)


async def test_the_examples_of_the_documentation_give_what_it_says(
    api: Api, served: tuple[str, Services], registry: Path
) -> None:
    text = (ROOT / "docs" / "graphql.md").read_text(encoding="utf-8")
    examples = list(EXAMPLE.finditer(text))
    assert len(examples) == text.count("```sh\n") > 10
    tokens = {
        "TOKEN": api.client("assistant").token,
        "HELPER": api.client("helper").token,
        "MAINTAINER": api.client("keeper", roles=("maintainer",)).token,
        "REGISTRY": str(registry),
    }
    for example in examples:
        found = await output_of(example["command"], f"http://{served[0]}/graphql", tokens)
        pattern = re.escape(example["expected"].strip()).replace("…", '[^"]+')
        assert re.fullmatch(pattern, found), f"{example['command']}\nsaid\n{found}"
