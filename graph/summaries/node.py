"""The node class of summaries."""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    ArrayProperty,
    DateTimeNeo4jFormatProperty,
    IntegerProperty,
    StringProperty,
    ZeroOrOne,
)

from prefrontal.graph.node import Node, Properties
from prefrontal.graph.relations import (
    CONVERSATION,
    GOAL,
    MEMORY,
    PENDING_ACTION,
    RESTS_ON,
    SAW,
    SUMMARISES,
    TURN,
)


class Summary(Node):
    """A short text about what happened to a goal or an action, with all of its evidence.

    Or about the older messages of a conversation, of which it quotes some: each conversation has one at most,
    which changes as the conversation goes on.
    """

    composite_unique: ClassVar[tuple[Properties, ...]] = (("of_uid", "kind", "label"),)
    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "by_uid"),)

    kind = StringProperty(required=True)
    of_uid = StringProperty(required=True)
    goal_id = StringProperty()
    label = StringProperty(required=True, help_text="What the summary covers; unique per record and kind.")
    text = StringProperty(required=True)
    refs = ArrayProperty(
        StringProperty(),
        required=True,
        help_text="Every piece of evidence; of a conversation the quoted messages.",
    )
    upto = IntegerProperty(
        required=True, help_text="The number of the last version covered, or of a conversation's messages."
    )
    seen_until = DateTimeNeo4jFormatProperty(
        help_text="The time of the last change of an action, or of the last message, that is covered."
    )
    entries = IntegerProperty(required=True, help_text="The number of log entries that the summary replaces.")
    seen_from = DateTimeNeo4jFormatProperty(help_text="The time of the first message of a conversation.")
    upto_uid = StringProperty(help_text="The id of the last message of a conversation that is covered.")
    speakers = ArrayProperty(StringProperty(), help_text="Who spoke in a conversation.")
    quotes = StringProperty(help_text="JSON: the quoted sentences of a conversation.")

    # A summary is of a goal, of an action or of a conversation.
    goal = SUMMARISES.to(GOAL, ZeroOrOne, group="of")
    action = SUMMARISES.to(PENDING_ACTION, ZeroOrOne, group="of")
    conversation = SUMMARISES.to(CONVERSATION, ZeroOrOne, group="of")
    evidence = RESTS_ON.to(MEMORY)
    seen_by = SAW.from_(TURN)
