"""Stamps what a test has written, and reads streams of events."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx

from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.jobs.runner import JobRunner
from tests.support.world import World


async def relayed(world: World, services: Services | None = None) -> None:
    """Run the relay once."""
    services = services or world.services
    await services.jobs.run_once(services.jobs.named["relay_events"])


@contextlib.asynccontextmanager
async def relaying(services: Services, clock: Any) -> AsyncIterator[None]:
    """A process that does nothing but relay, woken by the commits of these services."""
    job = services.jobs.named["relay_events"]
    running = asyncio.create_task(JobRunner(services.database, clock, [job]).run_forever())
    try:
        yield
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def messages(response: httpx.Response) -> AsyncIterator[dict[str, str]]:
    """The messages of a stream, each with its fields; a comment has the field `comment`."""
    fields: dict[str, str] = {}
    async for line in response.aiter_lines():
        if line:
            name, _, value = line.partition(":")
            fields[name or "comment"] = value.removeprefix(" ")
        elif fields:
            yield fields
            fields = {}


def event_of(message: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(message["data"])
    return found
