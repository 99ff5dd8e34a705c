"""Use cases that read registry proposals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.errors import NotFound
from prefrontal.graph.registry.proposals import store
from prefrontal.graph.registry.proposals.record import (
    AwaitedType,
    ProposalFilter,
    ProposalStatus,
    RegistryProposal,
)
from prefrontal.graph.registry.proposals.validation import filter_problems
from prefrontal.graph.storage.paging import Page, checked_first, page_of, start_of
from prefrontal.graph.validation import raise_all

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_NEWEST = "prop_~"
"""An id that sorts after the id of every proposal: lists begin with the newest."""


class ProposalService:
    """Reads proposals by id, status, type and turn, and the unknown types that actions wait for."""

    def __init__(self, database: Database, catalog: Catalog) -> None:
        self._database = database
        self._catalog = catalog

    async def get(self, caller: Caller, uids: Sequence[str]) -> dict[str, RegistryProposal]:
        """Return the readable proposals among some ids, by id; other ids are left out."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, RegistryProposal]:
            return await store.find(tx, caller, uids)

        return await self._database.read(work)

    async def changed_proposal(self, caller: Caller, uid: str) -> RegistryProposal:
        """Return a proposal to the caller who has just written it, whatever spaces the caller may read.

        Raises:
            NotFound: If the caller's organisation has no such proposal.
        """

        async def work(tx: Tx) -> dict[str, RegistryProposal]:
            common = await store.common_space(tx, caller)
            return await store.find(tx, caller.model_copy(update={"readable": (common,)}), [uid])

        found = (await self._database.read(work)).get(uid)
        if found is None:
            raise NotFound("no such proposal", field="id")
        return found

    async def list(
        self, caller: Caller, wanted: ProposalFilter, *, first: int | None = None, after: str | None = None
    ) -> Page[RegistryProposal]:
        """Return a page of proposals, newest first; without statuses, proposals of every status.

        Raises:
            InvalidInput: If the filter, the page size or the cursor is invalid.
        """
        require(caller, Permission.READ)
        raise_all(filter_problems(wanted, self._catalog.limits))
        limit = checked_first(first)
        (before,) = start_of(after, _NEWEST)

        async def work(tx: Tx) -> Sequence[RegistryProposal]:
            return await store.list_page(
                tx, caller, wanted, _statuses(wanted), before=before, limit=limit + 1
            )

        found = await self._database.read(work)
        return page_of(found, limit, lambda item: (item.uid,))

    async def count(self, caller: Caller, wanted: ProposalFilter) -> int:
        """Return the number of matching proposals on all pages."""
        require(caller, Permission.READ)
        raise_all(filter_problems(wanted, self._catalog.limits))

        async def work(tx: Tx) -> int:
            return await store.count(tx, caller, wanted, _statuses(wanted))

        return await self._database.read(work)

    async def awaited_types(self, caller: Caller, action_ids: Sequence[str]) -> dict[str, AwaitedType]:
        """Return the unknown types that the readable actions among some ids wait for, by action."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, AwaitedType]:
            return await store.awaited_types(tx, caller, action_ids)

        return await self._database.read(work)


def _statuses(wanted: ProposalFilter) -> Sequence[ProposalStatus]:
    return sorted(set(ProposalStatus if wanted.status is None else wanted.status))
