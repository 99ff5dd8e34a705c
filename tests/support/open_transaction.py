"""Holds a unit of work open after its last statement, so that a test sees who waits for its locks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import pytest

from prefrontal.graph.caller import Caller
from tests.support.world import World

T = TypeVar("T")

_holding: ContextVar[bool] = ContextVar("holding", default=False)


@asynccontextmanager
async def open_transaction(
    world: World, monkeypatch: pytest.MonkeyPatch, call: Awaitable[T], *, writes: int = 1
) -> AsyncIterator[asyncio.Task[T]]:
    """Run a call up to the commit of its `writes`th transaction, and keep that open inside the block.

    The task of the call goes on after the block; the test awaits it. Calls inside the block run as usual.
    """
    database = world.services.database
    write, reached, release = database.write, asyncio.Event(), asyncio.Event()
    begun = 0

    async def hold_open(work: Any, **kwargs: Any) -> Any:
        nonlocal begun
        if not _holding.get():
            return await write(work, **kwargs)
        begun += 1
        if begun != writes:
            return await write(work, **kwargs)

        async def then_wait(tx: Any) -> Any:
            done = await work(tx)
            reached.set()
            await release.wait()
            return done

        return await write(then_wait, **kwargs)

    async def run() -> T:
        _holding.set(True)
        return await call

    monkeypatch.setattr(database, "write", hold_open)
    others = asyncio.all_tasks()
    task = asyncio.create_task(run())
    waiting = asyncio.create_task(reached.wait())
    try:
        await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if not reached.is_set():
            await task
            pytest.fail(f"the call ended before its transaction number {writes}")
        yield task
    except BaseException:
        waiting.cancel()
        release.set()
        # A call that went on after a failure would write into an organisation that is deleted.
        await asyncio.wait({waiting, *(asyncio.all_tasks() - others)})
        raise
    finally:
        waiting.cancel()
        release.set()


async def blocked(
    world: World, task: asyncio.Task[Any], caller: Caller, statement: str = "", *, about: str = ""
) -> bool:
    """Tell whether a task comes to wait for a lock before it ends.

    Only the server's list of transactions and the end of the task decide, not how long something takes.

    Args:
        world: The test's world.
        task: A call that writes to a space of the caller.
        caller: The caller; other tests have other spaces.
        statement: A part of the text of the statement that would wait.
        about: An id that the statement is about, if it does not name the spaces of the caller.
    """
    named = (about,) if about else caller.writable
    while not task.done():
        rows = await world.rows(
            "SHOW TRANSACTIONS YIELD currentQuery, parameters, status "
            "WHERE status STARTS WITH 'Blocked' AND currentQuery CONTAINS $statement "
            "RETURN parameters",
            statement=statement,
        )
        if any(uid in str(row["parameters"]) for row in rows for uid in named):
            return True
        await asyncio.sleep(0.01)
    return False
