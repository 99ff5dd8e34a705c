"""Marks approved proposals as merged once the loaded registry contains what they propose.

No client calls this: it follows every load of the registry, and the approval of a change that is loaded
already. After a load, the proposals of each organisation change in one transaction per batch; if two
processes do this, the second one finds the proposals merged. The organisation is the actor of the change.
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
from prefrontal.graph.registry.proposals.proposed_type import is_loaded
from prefrontal.graph.registry.proposals.record import ProposalStatus, RegistryProposal
from prefrontal.graph.registry.proposals.rules import merged_at

if TYPE_CHECKING:
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.registry.definitions import ActionTypes
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_BATCH = 200


class ProposalMerges:
    """Marks proposals as merged after the registry was loaded."""

    def __init__(self, database: Database, types: ActionTypes, changes: ChangeWriter) -> None:
        """Store the database, the types of the files and the change writer."""
        self._database = database
        self._types = types
        self._changes = changes

    async def merge(self) -> int:
        """Mark the approved proposals of all organisations that are in force as merged; return how many.

        Raises:
            Unavailable: If the database does not answer; a repeated call does the rest.
        """
        types = self._types.snapshot()
        done, after = 0, ""
        while found := await self._approved(after):
            after = found[-1].uid
            loaded = [proposal for proposal in found if is_loaded(proposal, types)]
            for _, group in groupby(sorted(loaded, key=_by_org), key=lambda each: each.org_id):
                done += await self._merge(list(group))
        return done

    async def _approved(self, after: str) -> list[RegistryProposal]:
        async def work(tx: Tx) -> list[RegistryProposal]:
            return await store.list_approved(tx, after, _BATCH)

        return await self._database.read(work)

    async def _merge(self, proposals: Sequence[RegistryProposal]) -> int:
        caller = _organisation(proposals)

        async def work(tx: Tx, now: datetime) -> Change:
            changes = []
            for proposal in proposals:
                before = await store.lock(tx, caller, proposal.uid, now)
                # An approved proposal is never revised, but another process may have merged it already.
                if before is not None and before.status is ProposalStatus.APPROVED:
                    changes.append(await merge_in(tx, before, now))
            return merged(changes, {"merged": len(changes)})

        result = await self._changes.write(caller, work, operation="mergeProposals")
        return int(result["merged"])


async def merge_in(tx: Tx, approved: RegistryProposal, now: datetime) -> Change:
    """Mark an approved and loaded proposal, locked in this transaction, as merged; return the journal."""
    after = merged_at(approved, now)
    await store.save(tx, _organisation([approved]), approved, after, None)
    return change_of(MERGED, after, None)


def _organisation(proposals: Sequence[RegistryProposal]) -> Caller:
    return Caller.organisation(proposals[0].org_id, (proposal.scope_id for proposal in proposals))


def _by_org(proposal: RegistryProposal) -> tuple[str, str]:
    return proposal.org_id, proposal.uid
