"""The use case that exports an approved proposal as a branch: `export_proposal_as_pr` of source 003.

git runs before the transaction, never inside it. git gives the same branch and commit for each repetition, so
a retry after a failure between git and the transaction finds the branch and only stores what is missing.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.caller import require_maintainer
from prefrontal.graph.errors import Conflict, Forbidden, NotFound, PrefrontalError, Unavailable
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.journal.record import Change
from prefrontal.graph.registry.proposals import store
from prefrontal.graph.registry.proposals.events import EXPORTED, change_of
from prefrontal.graph.registry.proposals.forge import SETTING, ExportRequest, Forge
from prefrontal.graph.registry.proposals.proposed_type import Complaints
from prefrontal.graph.registry.proposals.record import Export, ExportProposalAsPr, RegistryProposal
from prefrontal.graph.registry.proposals.rules import exported, require_exportable
from prefrontal.graph.registry.proposals.yaml_patch import FilePatch, branch_of, file_patch, path_of
from prefrontal.graph.validation import found_or_gone, raise_all, require_version, text_problems

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.registry.definitions import ActionTypes
    from prefrontal.graph.registry.proposals.service import ProposalService
    from prefrontal.graph.storage.unit_of_work import Tx

_UNWRITABLE = "you may read this proposal but not export it"


class ProposalExports:
    """Exports approved proposals as branches and stores where the branches are."""

    def __init__(
        self,
        catalog: Catalog,
        types: ActionTypes,
        changes: ChangeWriter,
        proposals: ProposalService,
        forge: Forge | None,
        complaints: Complaints,
    ) -> None:
        """Store the dependencies; if `forge` is None, every export is refused.

        `complaints` checks the fixtures of a type.
        """
        self._catalog = catalog
        self._types = types
        self._changes = changes
        self._proposals = proposals
        self._forge = forge
        self._complaints = complaints

    async def export(self, caller: Caller, command: ExportProposalAsPr) -> RegistryProposal:
        """Create the branch of an approved proposal, once, and return the proposal with it.

        Raises:
            Forbidden: If the caller is no maintainer, or may only read the proposal.
            NotFound: If the proposal is unknown or not readable.
            IllegalTransition: If the proposal is not approved.
            InvalidInput: If the proposal is about a generic key.
            Conflict: If the change cannot be applied to the repository.
            Unavailable: If no usable repository is configured.
            VersionConflict: If the proposal has another version than expected.
        """
        require_maintainer(caller)
        uid, limits = command.id, self._catalog.limits
        # Checked before git runs, and therefore not by the change writer.
        key = text_problems(command.idempotency_key, "idempotencyKey", limits.key_characters)
        raise_all([*limit_problems(command, limits), *key])
        found = (await self._proposals.get(caller, [uid])).get(uid)
        if found is None:
            raise NotFound("no such proposal", field="id")
        if found.scope_id not in caller.writable:
            # Also checked before git runs: a refused export must leave no branch.
            raise Forbidden(_UNWRITABLE, field="id")
        export = await self._branch(found, command.expected_version)

        async def work(tx: Tx, now: datetime) -> Change:
            before = await store.lock_known(tx, caller, uid, now)
            require_version(before.version, command.expected_version)
            require_exportable(before)
            if export is None:
                raise Conflict(
                    "the proposal was approved during this request; send the request again", field="id"
                )
            after = exported(before, export, now)
            if after == before:
                return Change(result={"uid": uid})
            if not await store.save(tx, caller, before, after, command.turn_id):
                raise Forbidden(_UNWRITABLE, field="id")
            return change_of(EXPORTED, after, command.turn_id, {"commit": export.commit})

        await self._changes.run(caller, command, work, checked=True)
        return found_or_gone(await self._proposals.get(caller, [uid]), uid, "proposal")

    async def _branch(self, proposal: RegistryProposal, expected_version: int | None) -> Export | None:
        """Return the branch; None if the transaction will refuse the export or knows the request already."""
        try:
            require_version(proposal.version, expected_version)
            require_exportable(proposal)
        except PrefrontalError:
            return None
        if self._forge is None:
            raise Unavailable(f"there is no repository to export to: set {SETTING} and restart the server")
        types = self._types.snapshot()

        def change(text: str | None, settings: str | None) -> FilePatch:
            return file_patch(proposal, text, types, self._complaints, settings)

        return await self._forge.export(
            ExportRequest(
                branch=branch_of(proposal),
                path=path_of(proposal),
                file=change,
                at=proposal.reviews[-1].at,
                known=proposal.commit,
            )
        )
