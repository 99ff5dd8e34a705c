"""The use case that decides about a proposal: `review_registry_proposal` of source 003."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.access.rules import require_maintainer
from prefrontal.graph.checks import raise_all, require_version, text_problems
from prefrontal.graph.cortex.proposals import store
from prefrontal.graph.cortex.proposals.definition import definition_of, is_loaded
from prefrontal.graph.cortex.proposals.merging import merge_in
from prefrontal.graph.cortex.proposals.record import ProposalSubject, RegistryProposal, ReviewDecision
from prefrontal.graph.cortex.proposals.rules import reviewed
from prefrontal.graph.cortex.proposals.telling import REVIEWED, told
from prefrontal.graph.errors import Forbidden, NotFound
from prefrontal.graph.journal.record import Change, merged

if TYPE_CHECKING:
    from prefrontal.graph.access.record import Caller
    from prefrontal.graph.catalog import Catalog
    from prefrontal.graph.cortex.proposals.service import ProposalService
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.storage.unit_of_work import Tx


class ProposalReviews:
    """Lets maintainers approve and reject proposals that others wrote."""

    def __init__(self, catalog: Catalog, changes: ChangeWriter, proposals: ProposalService) -> None:
        """Take what the use case needs."""
        self._catalog = catalog
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
        """Approve or reject an open proposal, keep reviewer and comments, and return it.

        An approval changes nothing at run time; what the registry says already is merged at once: see
        `prefrontal.graph.cortex.proposals.merging`.

        Raises:
            Forbidden: The caller is no maintainer, or wrote on the proposal.
            NotFound: It is unknown or not readable.
            IllegalTransition: It is decided already.
            InvalidInput: What would be approved has no id, or the registry would refuse it.
            Duplicate: The type to be added is there already.
            VersionConflict: It has another version than expected.
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
            types = self._catalog.action_types.snapshot()
            if decision is ReviewDecision.APPROVE and after.subject is ProposalSubject.ACTION_TYPE:
                # What is approved can be exported: the registry would take it.
                definition_of(after, types)
            if not await store.save(tx, caller, before, after, turn_id):
                raise Forbidden("you may read this proposal but not decide about it", field="id")
            changes = [told(REVIEWED, after, turn_id, {"decision": decision.value, "by": caller.actor_id})]
            if decision is ReviewDecision.APPROVE and is_loaded(after, types):
                # No loading follows that would see it.
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
