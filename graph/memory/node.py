"""Node classes of permanent memories: mandates and capabilities."""

from __future__ import annotations

from typing import ClassVar

from neomodel import BooleanProperty

from prefrontal.graph.node import Memory, Properties


class Mandate(Memory):
    """An instruction that must be followed.

    A context reports each essential mandate that does not fit into it.
    """

    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "live"),)

    essential = BooleanProperty(required=True)


class Capability(Memory):
    """Something that the agent can do."""

    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "live"),)

    essential = BooleanProperty(
        required=True, help_text="Always false; present because one query reads both kinds."
    )
