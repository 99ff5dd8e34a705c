"""The result of an erasure as a GraphQL type."""

from __future__ import annotations

import strawberry


@strawberry.type(description="What was erased.")
class EraseUserDataPayload:
    """The result of `eraseUserData`."""

    records: int = strawberry.field(
        description="How many records this call has erased, besides their versions and parts."
    )
