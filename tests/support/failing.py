"""Lets the database refuse the part of a turn's commit that goes to one store.

The part is written first. Then a statement runs in its transaction that the database refuses, so what was
written is lost with the transaction, as with any statement that the database cannot do.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.turns.commit_record import CommitStore

DIVIDES_BY_ZERO = "UNWIND [0] AS zero RETURN 1 / zero"


@contextmanager
def failing(services: Services, *stores: CommitStore, times: int) -> Iterator[list[CommitStore]]:
    """Let each of some stores fail so many times; give the stores that failed, in order."""
    parts = services.turns.finalization._parts._parts
    usual = {store: parts[store] for store in stores}
    left = dict.fromkeys(stores, times)
    failed: list[CommitStore] = []

    def refused(store: CommitStore) -> Any:
        async def write(end: Any, *given: Any) -> Any:
            change = await usual[store](end, *given)
            if left[store]:
                left[store] -= 1
                failed.append(store)
                result = await end.tx._tx.run(DIVIDES_BY_ZERO)
                await result.consume()
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
            result = await tx._tx.run(DIVIDES_BY_ZERO)
            await result.consume()
        return done

    setattr(service, name, refused)
    try:
        yield
    finally:
        delattr(service, name)
