"""GraphQL types and fields of pending actions and their types."""

import strawberry

from prefrontal.graph.cortex.actions.record import ActionOwner

# Registered here because several modules of this package use the enum, in any order of import.
strawberry.enum(
    ActionOwner,
    name="ActionOwner",
    description="The owner of an action or a question: who carries it out or answers it.",
)
