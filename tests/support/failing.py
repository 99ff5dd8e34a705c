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
