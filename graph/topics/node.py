"""Node class of topics."""

from __future__ import annotations

from typing import ClassVar

from neomodel import StringProperty

from prefrontal.graph.node import Node, Properties
from prefrontal.graph.relations import GOAL, OBSERVATION, ON, REMEMBERED, SESSION


class Topic(Node):
    """What observations, durable memories and goals of one space are about: the stem of a word.

    What sessions are about are topics too; the name of an entity has the stems of all its words.

    A topic is deleted with its last relationship, because the stem of a word is content. Nobody asks for a
    topic: it follows from the text of a record, so counts of what a change wrote leave it out.
    """

    accompanies = True
    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "key"),)

    key = StringProperty(required=True, help_text="The stem.")

    observations = ON.from_(OBSERVATION)
    memories = ON.from_(REMEMBERED)
    goals = ON.from_(GOAL)
    sessions = ON.from_(SESSION)
