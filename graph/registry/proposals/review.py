"""The use case that reviews a proposal: `review_registry_proposal` of source 003."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.caller import require_maintainer
from prefrontal.graph.errors import Forbidden
from prefrontal.graph.journal.record import Change, merged
from prefrontal.graph.registry.proposals import store
from prefrontal.graph.registry.proposals.events import REVIEWED, change_of
from prefrontal.graph.registry.proposals.merge import merge_in
from prefrontal.graph.registry.proposals.proposed_type import Complaints, is_loaded, require_passing
from prefrontal.graph.registry.proposals.record import (
    ProposalSubject,
    RegistryProposal,
    ReviewDecision,
    ReviewRegistryProposal,
)
from prefrontal.graph.registry.proposals.rules import reviewed
from prefrontal.graph.validation import found_or_gone, require_version

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.registry.definitions import ActionTypes
    from prefrontal.graph.registry.proposals.service import ProposalService
    from prefrontal.graph.storage.unit_of_work import Tx


class ProposalReviews:
    """Lets maintainers approve or reject proposals that others wrote."""

    def __init__(
        self,
        types: ActionTypes,
        changes: ChangeWriter,
        proposals: ProposalService,
        complaints: Complaints,
    ) -> None:
        """Store the types of the files, the change writer and the proposal reader.

        `complaints` says where a type behaves otherwise than its fixtures say.
        """
        self._complaints = complaints
        self._types = types
        self._changes = changes
        self._proposals = proposals

    async def review(self, caller: Caller, command: ReviewRegistryProposal) -> RegistryProposal:
        """Approve or reject an open proposal, store the review, and return the proposal.

        An approval changes nothing at run time. If the registry already contains the change, the proposal is
        merged at once: see `prefrontal.graph.registry.proposals.merge`.

        Raises:
            Forbidden: If the caller is no maintainer, or is an author of the proposal.
            NotFound: If the proposal is unknown or not readable.
            IllegalTransition: If the proposal is decided already.
            InvalidInput: If the type to approve has no id, or the registry would refuse it.
            Duplicate: If the type to add exists already.
            VersionConflict: If the proposal has another version than expected.
        """
        require_maintainer(caller)
        decision, turn_id = command.decision, command.turn_id
        approves = decision is ReviewDecision.APPROVE

        async def work(tx: Tx, now: datetime) -> Change:
            before = await store.lock_known(tx, caller, command.id, now)
            require_version(before.version, command.expected_version)
            after = reviewed(
                before, decision, command.comments, by_uid=caller.actor_id, actors=caller.actors, now=now
            )
            types = self._types.snapshot()
            if approves and after.subject is ProposalSubject.ACTION_TYPE:
                # An approved proposal must be exportable: the registry has to accept its definition.
                require_passing(after, types, self._complaints)
            if not await store.save(tx, caller, before, after, turn_id):
                raise Forbidden("you may read this proposal but not review it", field="id")
            changes = [
                change_of(REVIEWED, after, turn_id, {"decision": decision.value, "by": caller.actor_id})
            ]
            if approves and is_loaded(after, types):
                # The change is loaded already, so no later load would merge the proposal.
                changes.append(await merge_in(tx, after, now))
            return merged(changes, {"uid": command.id})

        await self._changes.run(caller, command, work)
        return found_or_gone(await self._proposals.get(caller, [command.id]), command.id, "proposal")
