"""Node classes of observations and tags."""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    ArrayProperty,
    BooleanProperty,
    DateTimeNeo4jFormatProperty,
    FloatProperty,
    StringProperty,
)

from prefrontal.graph.node import Memory, Node, Properties
from prefrontal.graph.relations import (
    CONTRADICTS,
    ENTITY,
    EVIDENCES,
    GOAL,
    MENTIONS,
    OBSERVATION,
    ON,
    PENDING_ACTION,
    RESULTED_IN,
    STORY,
    TAG,
    TAGGED,
    TOOL_INVOCATION,
    TOPIC,
)


class Tag(Node):
    """A tag of one space. Tags whose folded texts are equal are the same tag."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "key"),)

    key = StringProperty(required=True, help_text="The folded text.")

    observations = TAGGED.from_(OBSERVATION)


class Observation(Memory):
    """A note about something that was noticed."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "client_key"),)
    composite_indexes: ClassVar[tuple[Properties, ...]] = (
        ("scope_id", "status", "uid"),
        ("scope_id", "goal_key", "uid"),
        ("scope_id", "context_goal_id", "uid"),
        ("status", "expires_at"),
        ("scope_id", "status", "expires_at"),
        ("scope_id", "frame_key", "uid"),
        ("scope_id", "text_key", "uid"),
        ("archived_at", "uid"),
        ("scope_id", "source_turn_id", "uid"),
        ("scope_id", "source_name", "uid"),
        ("scope_id", "status", "updated_at", "uid"),
        ("scope_id", "awaits_since", "uid"),
        ("scope_id", "user_id"),
    )

    type = StringProperty(required=True)
    confidence = FloatProperty(required=True)
    tags = ArrayProperty(StringProperty(), required=True, help_text="The tags as written.")
    tag_keys = ArrayProperty(StringProperty(), required=True, help_text="The folded tags.")
    status = StringProperty(required=True)
    source_kind = StringProperty()
    source_name = StringProperty()
    source_turn_id = StringProperty()
    source_timestamp = DateTimeNeo4jFormatProperty()
    context_goal_id = StringProperty()
    goal_key = StringProperty()
    user_id = StringProperty()
    ttl_minutes = FloatProperty(required=True)
    metadata = StringProperty(help_text="JSON.")
    client_key = StringProperty()
    client_hash = StringProperty()
    frame_key = StringProperty(
        required=True,
        help_text="A digest of the subject and of the text without numbers, dates, units and negations.",
    )
    text_key = StringProperty(required=True, help_text="A digest of the folded text.")
    archived_at = DateTimeNeo4jFormatProperty()
    pinned = BooleanProperty(required=True)
    awaits_since = DateTimeNeo4jFormatProperty(
        help_text="When its evaluation failed; gone once it is evaluated."
    )
    linked_at = DateTimeNeo4jFormatProperty(help_text="Written to lock the observation while it is linked.")

    entity_uids = ArrayProperty(StringProperty(), required=True, help_text="The ids of mentioned entities.")
    entity_names = ArrayProperty(StringProperty(), required=True, help_text="Their names as written.")
    entity_kinds = ArrayProperty(StringProperty(), required=True, help_text="Their kinds; '' if unknown.")

    entities = MENTIONS.to(ENTITY)
    tagged = TAGGED.to(TAG)
    topics = ON.to(TOPIC)
    goals = EVIDENCES.to(GOAL)
    actions = EVIDENCES.to(PENDING_ACTION)
    stories = EVIDENCES.to(STORY)
    invocations = RESULTED_IN.from_(TOOL_INVOCATION)
    contradicts = CONTRADICTS.to(OBSERVATION)
    contradicted_by = CONTRADICTS.from_(OBSERVATION)
    conflicts = CONTRADICTS.between(OBSERVATION)
