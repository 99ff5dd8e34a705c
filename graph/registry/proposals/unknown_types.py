"""Proposals that are created by the use of an unknown type, inside the transaction of that use.

one per name   in an organisation: the first use opens the proposal, later uses link their turns to it
author         the caller who creates the action; the proposal is stored in the organisation's common space
the action     waits for its type: until then the user owns it, and nothing of it is executed
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.journal.record import Change, merged
from prefrontal.graph.registry.proposals import store
from prefrontal.graph.registry.proposals.events import SUBMITTED, change_of, used_again
from prefrontal.graph.registry.proposals.record import AwaitedType, RegistryProposal, UnknownUse
from prefrontal.graph.registry.proposals.rules import name_key
from prefrontal.graph.registry.proposals.validation import proposal_of, unknown_draft

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.unit_of_work import Tx


class UnknownTypes:
    """Opens proposals for unknown types, and ends the waiting of actions for them."""

    async def propose_in(
        self, tx: Tx, caller: Caller, uses: Sequence[UnknownUse], turn_id: str | None, now: datetime
    ) -> Change:
        """Open a proposal for each name that has none, inside a transaction; return the journal."""
        if not uses:
            return Change(result={})
        scope_id = await store.common_space(tx, caller)
        by_key: dict[str, list[UnknownUse]] = {}
        for use in uses:
            by_key.setdefault(name_key(use.name), []).append(use)
        drafts: dict[str, RegistryProposal] = {
            key: proposal_of(
                unknown_draft(same[0].name, staged=same[0].staged),
                uid=new_id(Kind.REGISTRY_PROPOSAL, now),
                org_id=caller.org_id,
                scope_id=scope_id,
                by_uid=caller.actor_id,
                turn_id=turn_id,
                now=now,
                requested_name=same[0].name,
            )
            for key, same in by_key.items()
        }
        found = await store.open_all(tx, caller, scope_id, drafts.values(), turn_id)
        links = [(use, found[key]["uid"]) for key, same in by_key.items() for use in same]
        await store.link_use(tx, caller, [uid for _, uid in links], links, turn_id, now)
        changes: list[Change] = []
        for key, same in by_key.items():
            actions = tuple(use.action_id for use in same)
            if found[key]["created"]:
                changes.append(change_of(SUBMITTED, drafts[key], turn_id, None, *actions))
            else:
                changes.append(used_again(found[key]["uid"], scope_id, actions, turn_id))
        return merged(changes)

    async def awaited_in(self, tx: Tx, caller: Caller, action_ids: Sequence[str]) -> dict[str, AwaitedType]:
        """Return the unknown types that the readable actions among some ids wait for, by action."""
        return await store.awaited_types(tx, caller, action_ids) if action_ids else {}

    async def end_in(self, tx: Tx, caller: Caller, action_ids: Sequence[str], now: datetime) -> None:
        """End the waiting of actions that have got a known type."""
        if action_ids:
            await store.end_awaited(tx, caller, action_ids, now)
