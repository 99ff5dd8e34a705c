"""The interface of everything that has an id."""

from __future__ import annotations

import strawberry


@strawberry.interface(description="Something with an id. The id's prefix says what it is.")
class Node:
    """Has an id that `node(id)` resolves."""

    id: strawberry.ID = strawberry.field(
        description="Opaque; the same one that Neo4j Browser shows as `uid`."
    )
