"""Node classes of sessions, and of the texts that live in one session alone."""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    ArrayProperty,
    DateTimeNeo4jFormatProperty,
    FloatProperty,
    IntegerProperty,
    One,
    StringProperty,
)

from prefrontal.graph.node import ChangingNode, Memory, Node, Properties
from prefrontal.graph.relations import (
    CHECKPOINT,
    CORRELATES_WITH,
    GOAL,
    HOLDS,
    IN_SESSION,
    KEEPS,
    MEMORY,
    ON,
    SAVED,
    SESSION,
    TOPIC,
    TURN,
    WORKED_ON,
)


class Session(ChangingNode):
    """What an actor attends to now: a bounded number of items, which it holds by reference."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "key"),)
    composite_indexes: ClassVar[tuple[Properties, ...]] = (
        ("scope_id", "status", "uid"),
        ("status", "last_activity"),
        ("scope_id", "by_uid"),
        ("scope_id", "person_id"),
    )

    key = StringProperty(required=True, help_text="The client's id for it, else its own.")
    session_type = StringProperty(required=True)
    status = StringProperty(required=True, help_text="active or ended.")
    max_capacity = IntegerProperty(required=True)
    task = StringProperty()
    task_embedding = ArrayProperty(FloatProperty(), help_text="The vector of the task.")
    task_encoder = StringProperty(help_text="The encoder that made it.")
    focus = ArrayProperty(StringProperty(), required=True)
    conversation_turn = IntegerProperty()
    active_duration_minutes = FloatProperty()
    dominant_themes = ArrayProperty(StringProperty(), required=True)
    coherence = FloatProperty(required=True)
    thematic_coherence = FloatProperty(required=True)
    entity_coherence = FloatProperty(required=True)
    temporal_coherence = FloatProperty(required=True)
    focus_strength = FloatProperty(required=True, help_text="The share of the items that match the focus.")
    items = IntegerProperty(required=True, help_text="How many it holds.")
    items_processed = IntegerProperty(required=True, help_text="How many were offered to it.")
    focus_changes = IntegerProperty(help_text="How often its focus changed.")
    person_id = StringProperty(help_text="The person of the actor that started it.")
    device_id = StringProperty(help_text="The device: another device of the person does not see it.")
    last_activity = DateTimeNeo4jFormatProperty(required=True)
    idle_minutes = FloatProperty(help_text="It ends after so long without use, if the registry says less.")
    ended_at = DateTimeNeo4jFormatProperty()
    locked_at = DateTimeNeo4jFormatProperty(help_text="Written to take the write lock of the node.")

    uncorrelated_since = DateTimeNeo4jFormatProperty(
        index=True, help_text="It changed then, and was not compared since."
    )
    digest = ArrayProperty(FloatProperty(), help_text="The mean vector of what it holds, or held at its end.")
    digest_encoder = StringProperty(help_text="The encoder of these vectors.")
    digest_until = DateTimeNeo4jFormatProperty(
        index=True, help_text="Until when others are compared with it, once it has ended."
    )

    holds = HOLDS.to(MEMORY)
    about = ON.to(TOPIC)
    goals = WORKED_ON.to(GOAL)
    earlier = CORRELATES_WITH.to(SESSION)
    later = CORRELATES_WITH.from_(SESSION)
    turns = IN_SESSION.from_(TURN)
    checkpoints = SAVED.to(CHECKPOINT)


class Checkpoint(Node):
    """What a session held at a time: references, with numbers and codes, no names and no texts.

    It is deleted when the session ends.
    """

    accompanies = True
    composite_unique: ClassVar[tuple[Properties, ...]] = (("session_uid", "key"),)
    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "by_uid"),)

    key = StringProperty(required=True, help_text="The client's name of it, else its own id.")
    session_uid = StringProperty(required=True)
    task = StringProperty()
    task_embedding = ArrayProperty(FloatProperty(), help_text="The vector of the task.")
    task_encoder = StringProperty(help_text="The encoder that made it.")
    focus = ArrayProperty(StringProperty(), required=True)
    item_ids = ArrayProperty(StringProperty(), required=True, help_text="Also of deleted memories.")

    session = SAVED.from_(SESSION, One)
    keeps = KEEPS.to(MEMORY)


class AccessLog(Node):
    """One access of a session: who did what, with which items, and whether it was allowed. No content."""

    accompanies = True
    composite_indexes: ClassVar[tuple[Properties, ...]] = (("session_uid", "uid"),)

    session_uid = StringProperty(help_text="The session; none if it was named by a key that nobody has.")
    operation = StringProperty(required=True)
    item_ids = ArrayProperty(StringProperty(), required=True)
    items = IntegerProperty(required=True, help_text="How many there were, also beyond the ids.")
    problem = StringProperty(help_text="The code, if it was refused.")
    agent_id = StringProperty()
    person_id = StringProperty()
    device_id = StringProperty()
    expires_at = DateTimeNeo4jFormatProperty(required=True, index=True)


class Fragment(Memory):
    """A text that lives in one session: it is destroyed when it leaves the session. No search finds it.

    Its caption is neutral, and what is left of it once it has left has no text and no vector.
    """

    accompanies = True
    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "text_key"),)

    text_key = StringProperty(help_text="A digest of the text, to find it when it is forgotten in the space.")
