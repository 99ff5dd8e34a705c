"""The node class of entities."""

from __future__ import annotations

from typing import ClassVar

from neomodel import OneOrMore, StringProperty

from prefrontal.graph.node import Node, Properties
from prefrontal.graph.relations import MENTIONS, NAMED_IN, OBSERVATION, SPACE


class Entity(Node):
    """A named thing of an organisation.

    The caption is the folded name, because spellings belong to spaces.
    """

    composite_unique: ClassVar[tuple[Properties, ...]] = (("org_id", "key"),)

    key = StringProperty(required=True, help_text="The folded name.")

    spaces = NAMED_IN.to(SPACE, OneOrMore)
    observations = MENTIONS.from_(OBSERVATION)
