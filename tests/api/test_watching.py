"""The registry's files are looked at while the server runs, round after round, whatever happens in one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from structlog.testing import capture_logs

from prefrontal.api.app import watch_registry
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.errors import Unavailable
from tests.api.conftest import Api
from tests.api.test_action_types import change, own, types

pytestmark = pytest.mark.nightly(
    "the registry's rules: tests/graph/test_registry_*.py; each mutation over HTTP: the walks"
)

__all__ = ["own"]


@dataclass
class Rounds:
    """Lets the loop look when the test says so, and waits until it has."""

    done: asyncio.Queue[None] = field(default_factory=asyncio.Queue)
    again: asyncio.Queue[None] = field(default_factory=asyncio.Queue)

    async def pause(self) -> None:
        self.done.put_nowait(None)
        await self.again.get()

    async def one(self) -> None:
        self.again.put_nowait(None)
        await self.done.get()


@asynccontextmanager
async def watching(services: Services) -> AsyncIterator[Rounds]:
    """The loop of a server, after its first round."""
    rounds = Rounds()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(watch_registry(services, rounds.pause))
        await rounds.done.get()
        yield rounds
        assert not task.done()
        task.cancel()


@dataclass
class Merges:
    """Says how often the proposals were looked at, and fails as told."""

    errors: list[Exception] = field(default_factory=list)
    asked: int = 0

    async def merge(self) -> int:
        self.asked += 1
        if self.errors:
            raise self.errors.pop(0)
        return 0


def following(own: Api, *errors: Exception) -> tuple[Services, Merges]:
    merges = Merges(list(errors))
    fake: Any = merges
    services = own.world.services
    proposals = replace(services.registry.proposals, merge=fake)
    return replace(services, registry=replace(services.registry, proposals=proposals)), merges


async def known(own: Api, name: str) -> bool:
    return [each["id"] for each in await types(own, ids=[name])] == [name]


async def problem(own: Api) -> str | None:
    found: str | None = (await own.http.get("/readyz")).json().get("registry")
    return found


async def loads(own: Api, outcome: str) -> float:
    lines = (await own.http.get("/metrics")).text.splitlines()
    return sum(
        float(line.split()[-1])
        for line in lines
        if line.startswith("prefrontal_registry_loads_total{") and outcome in line
    )


@pytest.mark.covers("REG-27", "REG-31")
async def test_a_good_file_is_loaded_and_a_bad_one_keeps_the_types_and_says_why(own: Api) -> None:
    services, merges = following(own)
    async with watching(services) as rounds:
        assert merges.asked == 1
        await rounds.one()
        assert (await known(own, "survey"), merges.asked) == (False, 1)

        change(own, "survey", "id: research", "id: survey")
        await rounds.one()
        assert (await known(own, "survey"), await problem(own), merges.asked) == (True, None, 2)

        change(own, "poll", "id: research", "id: vote")
        change(own, "survey", "id: research\ndisplay_name: Research", "id: survey\ndisplay_name: Poll")
        await rounds.one()
        said = await problem(own)
        assert said is not None
        assert said.endswith("poll.yaml:1: id: vote is not the file's name poll")
        # Not even the file that is right: what is loaded fits together.
        assert (await known(own, "vote"), await known(own, "poll"), merges.asked) == (False, False, 2)
        assert [each["displayName"] for each in await types(own, ids=["survey"])] == ["Research"]

        change(own, "poll", "id: research", "id: poll")
        await rounds.one()
        assert (await known(own, "poll"), await problem(own), merges.asked) == (True, None, 3)
        assert [each["displayName"] for each in await types(own, ids=["survey"])] == ["Poll"]
    assert (await loads(own, "loaded"), await loads(own, "refused")) == (2, 1)


@pytest.mark.covers("REG-31")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"\xff\xfe", "not YAML: 'utf-8' codec can't decode byte 0xff"),
        (b"[" * 1_000, "not YAML: nested too deeply"),
        (b"since: 2026-13-45\n", "not YAML: month must be in 1..12"),
        (b"{", "not YAML: expected the node content"),
    ],
)
async def test_a_file_that_is_no_yaml_at_all_is_told_and_the_loop_goes_on(
    own: Api, text: bytes, said: str
) -> None:
    services, _ = following(own)
    path = services.settings.registry_dir / "action_types" / "survey.yaml"
    async with watching(services) as rounds:
        path.write_bytes(text)
        await rounds.one()
        assert said in str(await problem(own))
        assert await known(own, "research")

        path.unlink()
        await rounds.one()
        assert await problem(own) is None


async def test_an_error_in_one_round_ends_no_other_and_proposals_are_looked_at_again(own: Api) -> None:
    services, merges = following(own, Unavailable("away"), RuntimeError("a defect"))
    with capture_logs() as logs:
        async with watching(services) as rounds:
            # The files are read though the database is away.
            change(own, "survey", "id: research", "id: survey")
            await rounds.one()
            assert (await known(own, "survey"), merges.asked) == (True, 2)
            # Nothing has changed, but it failed: so it is tried until it works, and then no more.
            await rounds.one()
            await rounds.one()
            assert merges.asked == 3
    assert [(line["event"], line["log_level"]) for line in logs if line["log_level"] != "info"] == [
        ("registry_not_kept", "warning"),
        ("registry_not_followed", "error"),
    ]


async def test_what_fails_while_files_are_read_is_read_again(
    own: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    services, _ = following(own)
    with capture_logs() as logs:
        async with watching(services) as rounds:
            change(own, "survey", "id: research", "id: survey")
            with monkeypatch.context() as broken:
                broken.setattr("prefrontal.graph.registry.watch.load_action_types", lambda _: 1 / 0)
                await rounds.one()
            assert await known(own, "survey") is False
            await rounds.one()
            assert await known(own, "survey") is True
    assert [line["event"] for line in logs if line["log_level"] == "error"] == ["registry_not_followed"]
