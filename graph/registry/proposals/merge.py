"""Marks proposals as merged once the registry contains what they propose.

    approved  the definition is in force as it was proposed
    open      the type that it would add or release is there, by whatever way: nothing is left to decide

No client calls this: it follows every load of the registry, every change of an organisation's own types, and
the approval of a change that is loaded already. The proposals of each organisation change in one transaction
per batch; if two processes do this, the second one finds the proposals merged. The organisation is the actor
of the change.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING

from prefrontal.graph.caller import Caller
from prefrontal.graph.journal.record import Change, merged
from prefrontal.graph.registry.proposals import store
from prefrontal.graph.registry.proposals.events import MERGED, change_of
from prefrontal.graph.registry.proposals.proposed_type import is_settled
from prefrontal.graph.registry.proposals.record import ProposalFilter, ProposalStatus, RegistryProposal
from prefrontal.graph.registry.proposals.rules import UNDECIDED, merged_at

if TYPE_CHECKING:
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.registry.definitions import ActionTypes
    from prefrontal.graph.registry.effective_types import EffectiveTypes
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_BATCH = 200


class ProposalMerges:
    """Marks proposals as merged after the registry was loaded or an organisation changed its own types."""

    def __init__(
        self, database: Database, types: ActionTypes, tables: EffectiveTypes, changes: ChangeWriter
    ) -> None:
        self._tables = tables
        self._database = database
        self._types = types
        self._changes = changes

    async def merge(self) -> int:
        """Mark the proposals of all organisations as merged that the files settle; return how many.

        Raises:
            Unavailable: If the database does not answer; a repeated call does the rest.
        """
        types = self._types.snapshot()
        done = 0
        for status in sorted(UNDECIDED):
            after = ""
            while found := await self._undecided(status, after):
                after = found[-1].uid
                loaded = [proposal for proposal in found if is_settled(proposal, types)]
                for _, group in groupby(sorted(loaded, key=_by_org), key=lambda each: each.org_id):
                    done += await self._merge(list(group))
        return done

    async def settle(self, caller: Caller) -> int:
        """Mark proposals of the caller's organisation as merged that its types settle; return how many."""
        types = self._tables.of(caller)

        async def work(tx: Tx) -> list[RegistryProposal]:
            common = caller.model_copy(update={"readable": (await store.common_space(tx, caller),)})
            statuses, found, before = sorted(UNDECIDED), list[RegistryProposal](), "prop_~"
            while page := await store.list_page(
                tx, common, ProposalFilter(), statuses, before=before, limit=_BATCH
            ):
                found += [proposal for proposal in page if is_settled(proposal, types)]
                before = page[-1].uid
            return found

        settled = await self._database.read(work)
        return await self._merge(settled) if settled else 0

    async def _undecided(self, status: ProposalStatus, after: str) -> list[RegistryProposal]:
        async def work(tx: Tx) -> list[RegistryProposal]:
            return await store.list_undecided(tx, status, after, _BATCH)

        return await self._database.read(work)

    async def _merge(self, proposals: Sequence[RegistryProposal]) -> int:
        caller = _organisation(proposals)

        async def work(tx: Tx, now: datetime) -> Change:
            changes = []
            for proposal in proposals:
                before = await store.lock(tx, caller, proposal.uid, now)
                # Another process may have merged it already, and somebody may have decided about an open one.
                if before is not None and before.status is proposal.status and before.status in UNDECIDED:
                    changes.append(await merge_in(tx, before, now))
            return merged(changes, {"merged": len(changes)})

        result = await self._changes.write(caller, work, operation="mergeProposals")
        return int(result["merged"])


async def merge_in(tx: Tx, settled: RegistryProposal, now: datetime) -> Change:
    """Mark a settled proposal, locked in this transaction, as merged; return the journal."""
    after = merged_at(settled, now)
    await store.save(tx, _organisation([settled]), settled, after, None)
    return change_of(MERGED, after, None)


def _organisation(proposals: Sequence[RegistryProposal]) -> Caller:
    return Caller.organisation(proposals[0].org_id, (proposal.scope_id for proposal in proposals))


def _by_org(proposal: RegistryProposal) -> tuple[str, str]:
    return proposal.org_id, proposal.uid
