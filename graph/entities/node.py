"""Node classes of entities and of their names in spaces."""

from __future__ import annotations

from typing import ClassVar

from neomodel import One, OneOrMore, StringProperty

from prefrontal.graph.node import Node, Properties
from prefrontal.graph.relations import ENTITY, MENTIONS, NAME, OBSERVATION, REMEMBERED, SPELLS


class Entity(Node):
    """A named thing of an organisation.

    The caption is the folded name, because spellings belong to spaces.
    """

    composite_unique: ClassVar[tuple[Properties, ...]] = (("org_id", "key"),)

    key = StringProperty(required=True, help_text="The folded name.")

    names = SPELLS.from_(NAME, OneOrMore)
    observations = MENTIONS.from_(OBSERVATION)
    memories = MENTIONS.from_(REMEMBERED)


class Name(Node):
    """The first spelling of an entity in a space.

    It is valid only while a memory there mentions the entity. It is a node and not a relationship to the
    space, because a new relationship would lock the space for all other writers.
    """

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "key"),)

    key = StringProperty(required=True, help_text="The folded name, the key of the entity.")
    kind = StringProperty()
    entity_uid = StringProperty(required=True)

    entity = SPELLS.to(ENTITY, One)
