"""Lets the part of a turn's commit that goes to one store fail.

The part is written first. Then its transaction fails, so what was written is lost with the transaction. By
default a statement runs that the database refuses, as with any statement that the database cannot do.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.turns.commit_record import CallStore, CommitStore

Fault = Callable[[Any], Awaitable[None]]
"""Fails in the transaction that it is given."""


def running(statement: str) -> Fault:
    """A statement that the database refuses."""

    async def fail(tx: Any) -> None:
        result = await tx._tx.run(statement)
        await result.consume()

    return fail


def raising(make: Callable[[], Exception]) -> Fault:
    """An error that a driver, a use case or a defect would raise."""

    async def fail(_: Any) -> None:
        raise make()

    return fail


REFUSED = running("UNWIND [0] AS zero RETURN 1 / zero")


@contextmanager
def failing(
    services: Services,
    *stores: CommitStore | CallStore,
    times: int,
    by: Sequence[Fault] = (REFUSED,),
    turn: str | None = None,
) -> Iterator[list[CommitStore | CallStore]]:
    """Let each of some stores fail so many times; give the stores that failed, in order.

    Each fails by one fault after the other, and then by the last one. With `turn` only the parts of the turn
    with that name fail.
    """
    parts = services.turns.finalization._parts._parts
    usual = {store: parts[store] for store in stores}
    left = dict.fromkeys(stores, times)
    failed: list[CommitStore | CallStore] = []

    def refused(store: CommitStore | CallStore) -> Any:
        async def write(end: Any, *given: Any) -> Any:
            change = await usual[store](end, *given)
            if left[store] and turn in (None, end.turn_id):
                fault = by[min(times - left[store], len(by) - 1)]
                left[store] -= 1
                failed.append(store)
                await fault(end.tx)
            return change

        return write

    parts.update({store: refused(store) for store in stores})
    try:
        yield failed
    finally:
        parts.update(usual)


@contextmanager
def refusing(service: Any, name: str, *, times: int) -> Iterator[None]:
    """Let the database refuse a statement at the end of a method that is given the transaction, so often."""
    usual, left = getattr(service, name), [times]

    async def refused(tx: Any, *given: Any, **more: Any) -> Any:
        done = await usual(tx, *given, **more)
        if left[0]:
            left[0] -= 1
            await REFUSED(tx)
        return done

    setattr(service, name, refused)
    try:
        yield
    finally:
        delattr(service, name)
