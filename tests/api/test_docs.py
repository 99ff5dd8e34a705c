"""The examples of docs/graphql.md, run as they are written."""

from __future__ import annotations

import asyncio
import os
import re
import shutil

from graph.services import Services
from graph.settings import ROOT
from tests.api.conftest import Api

EXAMPLE = re.compile(
    r"^```sh\n(?P<command>.*?)^```\n```text\n(?P<expected>.*?)^```\n", re.DOTALL | re.MULTILINE
)


async def said(command: str, url: str, tokens: dict[str, str]) -> str:
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


async def test_the_examples_of_the_documentation_give_what_it_says(
    api: Api, served: tuple[str, Services]
) -> None:
    text = (ROOT / "docs" / "graphql.md").read_text(encoding="utf-8")
    examples = list(EXAMPLE.finditer(text))
    assert len(examples) == text.count("```sh\n") == 17
    tokens = {
        "TOKEN": api.client("assistant").token,
        "HELPER": api.client("helper").token,
        "MAINTAINER": api.client("keeper", roles=("maintainer",)).token,
    }
    for example in examples:
        found = await said(example["command"], f"http://{served[0]}/graphql", tokens)
        pattern = re.escape(example["expected"].strip()).replace("…", '[^"]+')
        assert re.fullmatch(pattern, found), f"{example['command']}\nsaid\n{found}"
