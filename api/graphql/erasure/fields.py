"""The mutation of erasure."""

from __future__ import annotations

import strawberry

from prefrontal.api.graphql.erasure.types import EraseUserDataPayload
from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.erasure.record import EraseUserData


@strawberry.type
class ErasureMutation:
    """The mutation of erasure."""

    @mutation(
        "Deletes for good what is about a person: what is in its private space, what it wrote elsewhere, "
        "what names it by `userId`, as a speaker or by a mention, and what was made from any of it, with all "
        "versions. The same texts are not stored again where they were. For maintainers, and for the person "
        "itself. Events tell consumers what to erase; an audit entry without content stays. A call that was "
        "interrupted goes on when it is sent again.",
        "What was erased, or the problem.",
    )
    async def erase_user_data(self, info: Context, command: EraseUserData) -> EraseUserDataPayload:
        done = await info.context.services.erasure.erase(await info.context.caller(), command)
        return EraseUserDataPayload(records=done.records)
