"""The use case that submits a proposal or revises an open one: `submit_registry_proposal` of source 003."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.errors import Duplicate, Forbidden, VersionConflict
from prefrontal.graph.history.versions import changed_fields
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.journal.record import Change
from prefrontal.graph.registry.proposals import store
from prefrontal.graph.registry.proposals.events import REVISED, SUBMITTED, change_of
from prefrontal.graph.registry.proposals.proposed_type import Complaints, require_passing
from prefrontal.graph.registry.proposals.record import (
    ProposalSubject,
    ProposalType,
    RegistryProposal,
    SubmitRegistryProposal,
)
from prefrontal.graph.registry.proposals.rules import UNDECIDED
from prefrontal.graph.registry.proposals.validation import draft_problems, key_problems, proposal_of, revised
from prefrontal.graph.validation import camel, raise_all, require_version

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.registry.definitions import ActionTypes
    from prefrontal.graph.registry.proposals.service import ProposalService
    from prefrontal.graph.storage.unit_of_work import Tx


class ProposalSubmissions:
    """Stores proposals; an event notifies the maintainers, and the turn is linked to the proposal."""

    def __init__(
        self,
        catalog: Catalog,
        types: ActionTypes,
        changes: ChangeWriter,
        proposals: ProposalService,
        complaints: Complaints,
    ) -> None:
        """Store the tables, the types of the files, the change writer and the proposal reader.

        `complaints` says where a type behaves otherwise than its fixtures say.
        """
        self._complaints = complaints
        self._catalog = catalog
        self._types = types
        self._changes = changes
        self._proposals = proposals

    async def submit(self, caller: Caller, command: SubmitRegistryProposal) -> RegistryProposal:
        """Store a new proposal, or the given fields of an open one, and return the proposal.

        Every caller who may write may propose, in whatever space: a proposal belongs to the organisation.

        Raises:
            InvalidInput: If a field is invalid, or the registry would refuse the type.
            NotFound: If there is no such proposal, or no such type to change.
            Duplicate: If the type to add exists, or its addition is proposed already.
            IllegalTransition: If the proposal is decided already.
            VersionConflict: If the proposal has another version than expected.
        """
        uid = command.id

        async def work(tx: Tx, now: datetime) -> Change:
            if uid is not None:
                return await self._revise(tx, caller, uid, command, now)
            if command.expected_version is not None:
                raise VersionConflict("there is no such proposal yet", field="expectedVersion")
            return await self._create(tx, caller, command, now)

        problems = draft_problems(command, self._catalog.limits, new=uid is None)
        try:
            result = await self._changes.run(caller, command, work, problems=problems)
        except Duplicate as error:
            if error.field is not None:
                raise
            # Another transaction proposed the name meanwhile; the retry finds that proposal.
            result = await self._changes.run(caller, command, work, problems=problems)
        return await self._proposals.changed_proposal(caller, result["uid"])

    async def _create(self, tx: Tx, caller: Caller, command: SubmitRegistryProposal, now: datetime) -> Change:
        proposal = proposal_of(
            command,
            uid=new_id(Kind.REGISTRY_PROPOSAL, now),
            org_id=caller.org_id,
            scope_id=await store.common_space(tx, caller),
            by_uid=caller.actor_id,
            actors=caller.actors,
            turn_id=command.turn_id,
            now=now,
        )
        self._require_definition(proposal)
        released = await self._require_only(tx, proposal, now) if proposal.name_key is not None else []
        await store.create(tx, caller, proposal, released)
        await store.link_use(tx, caller, [proposal.uid], [], command.turn_id, now)
        return change_of(SUBMITTED, proposal, command.turn_id)

    async def _revise(
        self, tx: Tx, caller: Caller, uid: str, command: SubmitRegistryProposal, now: datetime
    ) -> Change:
        before = await store.lock_known(tx, caller, uid, now)
        require_version(before.version, command.expected_version)
        after = revised(before, command, by_uid=caller.actor_id, actors=caller.actors, now=now)
        raise_all(key_problems(command, before.subject))
        if after == before:
            return Change(result={"uid": uid})
        self._require_definition(after)
        if after.type_id != before.type_id and after.proposal_type is ProposalType.ADD:
            await self._require_only(tx, after, now)
        if not await store.save(tx, caller, before, after, command.turn_id):
            raise Forbidden("you may read this proposal but not change it", field="id")
        await store.link_use(tx, caller, [uid], [], command.turn_id, now)
        fields = sorted(camel(name) for name in changed_fields(before, after) if name != "authors")
        return change_of(REVISED, after, command.turn_id, {"fields": fields})

    @staticmethod
    async def _require_only(tx: Tx, proposal: RegistryProposal, now: datetime) -> list[str]:
        """Check that no other proposal to add the type waits; return decided ones that hold its name."""
        holders = await store.holders_of(tx, proposal, now)
        for holder in holders:
            if holder["status"] in UNDECIDED:
                message = (
                    f"{holder['uid']} proposes this type and is {holder['status']}; revise it by its `id`"
                )
                raise Duplicate(message, field="typeId")
        return [holder["uid"] for holder in holders if holder["name_key"] == proposal.name_key]

    def _require_definition(self, proposal: RegistryProposal) -> None:
        """Refuse a definition that the registry, or `prefrontal registry check`, would refuse.

        A generic key, and a type without an id, have no definition to check.
        """
        if proposal.subject is ProposalSubject.ACTION_TYPE and proposal.type_id is not None:
            require_passing(proposal, self._types.snapshot(), self._complaints)
