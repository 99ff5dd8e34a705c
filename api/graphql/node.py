"""The interface of all types with an id."""

from __future__ import annotations

import strawberry


@strawberry.interface(description="Something with an id. The prefix of the id names its kind.")
class Node:
    """A type with an id that `node(id)` resolves."""

    id: strawberry.ID = strawberry.field(
        description="Opaque; the property `uid` of the node in Neo4j Browser."
    )
