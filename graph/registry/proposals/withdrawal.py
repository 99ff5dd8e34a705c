"""The use case that takes a proposal back before it is settled."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.caller import is_maintainer
from prefrontal.graph.errors import Forbidden
from prefrontal.graph.journal.record import Change
from prefrontal.graph.registry.proposals import store
from prefrontal.graph.registry.proposals.events import WITHDRAWN, change_of
from prefrontal.graph.registry.proposals.record import RegistryProposal, WithdrawRegistryProposal
from prefrontal.graph.registry.proposals.rules import withdrawn
from prefrontal.graph.validation import found_or_gone, require_version

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.registry.proposals.service import ProposalService
    from prefrontal.graph.storage.unit_of_work import Tx


class ProposalWithdrawals:
    """Lets who submitted a proposal, and maintainers, take it back."""

    def __init__(self, changes: ChangeWriter, proposals: ProposalService) -> None:
        self._changes = changes
        self._proposals = proposals

    async def withdraw(self, caller: Caller, command: WithdrawRegistryProposal) -> RegistryProposal:
        """Withdraw a proposal that is open, or approved and not exported; return the proposal.

        Its name is free for another proposal. The actions that wait for its type stay as they are.

        Raises:
            NotFound: If the proposal is unknown or not readable.
            Forbidden: If the caller neither submitted the proposal nor is a maintainer, or is a maintainer
                who may only read it.
            VersionConflict: If the proposal has another version than expected.
            IllegalTransition: If the proposal is settled or exported.
        """

        async def work(tx: Tx, now: datetime) -> Change:
            before = await store.lock_known(tx, caller, command.id, now)
            own = not (await store.submitters(tx, caller, command.id)).isdisjoint(caller.actors)
            if not own and not is_maintainer(caller):
                raise Forbidden("only who submitted a proposal, or a maintainer, can withdraw it", field="id")
            require_version(before.version, command.expected_version)
            after = withdrawn(before, command.reason, now)
            # Like its submission, the withdrawal of one's own proposal needs no right to write to its space.
            writer = caller.model_copy(update={"writable": (before.scope_id,)}) if own else caller
            if not await store.save(tx, writer, before, after, command.turn_id):
                raise Forbidden("you may read this proposal but not withdraw it", field="id")
            return change_of(WITHDRAWN, after, command.turn_id, {"by": caller.actor_id})

        await self._changes.run(caller, command, work)
        return found_or_gone(await self._proposals.get(caller, [command.id]), command.id, "proposal")
