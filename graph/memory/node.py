"""What is remembered until it is forgotten."""

from __future__ import annotations

from typing import ClassVar

from neomodel import BooleanProperty

from prefrontal.graph.node import Memory, Properties


class Mandate(Memory):
    """Something that must be kept to; an essential one is missed when a context has no room for it."""

    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "live"),)

    essential = BooleanProperty(required=True)


class Capability(Memory):
    """Something that can be done."""

    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "live"),)

    essential = BooleanProperty(required=True, help_text="Always false; mandates and these are read alike.")
