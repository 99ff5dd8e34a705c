"""The use case that reviews a proposal: `review_registry_proposal` of source 003."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.caller import require_maintainer
from prefrontal.graph.errors import Forbidden, NotFound
from prefrontal.graph.journal.record import Change, merged
from prefrontal.graph.registry.proposals import store
from prefrontal.graph.registry.proposals.events import REVIEWED, change_of
from prefrontal.graph.registry.proposals.merge import merge_in
from prefrontal.graph.registry.proposals.proposed_type import definition_of, is_loaded
from prefrontal.graph.registry.proposals.record import ProposalSubject, RegistryProposal, ReviewDecision
from prefrontal.graph.registry.proposals.rules import reviewed
from prefrontal.graph.validation import raise_all, require_version, text_problems

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.registry.definitions import ActionTypes
    from prefrontal.graph.registry.proposals.service import ProposalService
    from prefrontal.graph.storage.unit_of_work import Tx


class ProposalReviews:
    """Lets maintainers approve or reject proposals that others wrote."""

    def __init__(
        self, catalog: Catalog, types: ActionTypes, changes: ChangeWriter, proposals: ProposalService
    ) -> None:
        """Store the tables, the types of the files, the change writer and the proposal reader."""
        self._catalog = catalog
        self._types = types
        self._changes = changes
        self._proposals = proposals

    async def review(
        self,
        caller: Caller,
        uid: str,
        decision: ReviewDecision,
        *,
        comments: str | None = None,
        expected_version: int | None = None,
        turn_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> RegistryProposal:
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
        limits = self._catalog.limits
        problems = []
        problems += text_problems(comments, "comments", limits.description_characters, required=False)
        problems += text_problems(turn_id, "turnId", limits.key_characters)
        raise_all(problems)
        actors = [each for each in (caller.agent_id, caller.person_id, caller.device_id) if each]

        async def work(tx: Tx, now: datetime) -> Change:
            before = await store.lock(tx, caller, uid, now)
            if before is None:
                raise NotFound("no such proposal", field="id")
            require_version(before.version, expected_version)
            after = reviewed(before, decision, comments, by_uid=caller.actor_id, actors=actors, now=now)
            types = self._types.snapshot()
            if decision is ReviewDecision.APPROVE and after.subject is ProposalSubject.ACTION_TYPE:
                # An approved proposal must be exportable: the registry has to accept its definition.
                definition_of(after, types)
            if not await store.save(tx, caller, before, after, turn_id):
                raise Forbidden("you may read this proposal but not review it", field="id")
            changes = [
                change_of(REVIEWED, after, turn_id, {"decision": decision.value, "by": caller.actor_id})
            ]
            if decision is ReviewDecision.APPROVE and is_loaded(after, types):
                # The change is loaded already, so no later load would merge the proposal.
                changes.append(await merge_in(tx, after, now))
            return merged(changes, {"uid": uid})

        result = await self._changes.write(
            caller,
            work,
            operation="reviewRegistryProposal",
            body=[uid, decision.value, comments, expected_version, turn_id],
            idempotency_key=idempotency_key,
        )
        return (await self._proposals.get(caller, [result["uid"]]))[result["uid"]]
