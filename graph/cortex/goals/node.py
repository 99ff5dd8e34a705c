"""Graph schema of goals."""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    ArrayProperty,
    DateTimeNeo4jFormatProperty,
    FloatProperty,
    IntegerProperty,
    OneOrMore,
    StringProperty,
    ZeroOrOne,
)

from prefrontal.graph.node import Plan, Properties
from prefrontal.graph.relations import (
    ABOUT,
    ACTOR,
    ADVANCES,
    CHILD_OF,
    DERIVED_FROM,
    EVIDENCES,
    FOR,
    GOAL,
    MADE,
    MAY,
    OBSERVATION,
    OF,
    ON,
    PENDING_ACTION,
    QUESTION,
    SAW,
    SESSION,
    SUMMARISES,
    SUMMARY,
    TOOL_INVOCATION,
    TOPIC,
    TURN,
    VERSION,
    WORKED_ON,
)


class Goal(Plan):
    """A goal of an agent."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "client_key"),)
    composite_indexes: ClassVar[tuple[Properties, ...]] = (
        ("scope_id", "status", "priority_rank", "uid"),
        ("scope_id", "goal_type", "status", "uid"),
        ("scope_id", "status", "uid"),
        ("scope_id", "status", "updated_at", "uid"),
        ("scope_id", "by_uid", "status", "priority_rank", "uid"),
        ("scope_id", "person_id", "status", "priority_rank", "uid"),
        ("scope_id", "by_uid"),
        ("scope_id", "user_id"),
    )

    agent_id = StringProperty()
    title = StringProperty(required=True)
    description = StringProperty()
    goal_type = StringProperty()
    user_id = StringProperty(help_text="The person that the goal is about.")
    person_id = StringProperty(help_text="The id of the person for whom it was created.")
    origin = StringProperty(required=True, help_text="Whether a caller or evaluation created the goal.")
    priority = StringProperty(required=True)
    priority_rank = IntegerProperty(required=True, help_text="The priority as a number that sorts.")
    horizon_value = FloatProperty()
    horizon_unit = StringProperty()
    status = StringProperty(required=True)
    progress = FloatProperty(required=True)
    metrics = StringProperty(help_text="JSON.")
    constraints = ArrayProperty(StringProperty(), required=True)
    milestones = StringProperty(help_text="JSON.")
    status_reason = StringProperty()
    violates = ArrayProperty(StringProperty(), help_text="The ids of the mandates that block the goal.")
    completed_at = DateTimeNeo4jFormatProperty()
    archived_at = DateTimeNeo4jFormatProperty()
    client_key = StringProperty(help_text="The client's own key for the goal.")
    locked_at = DateTimeNeo4jFormatProperty(help_text="Written to take the write lock of the node.")

    parent = CHILD_OF.to(GOAL, ZeroOrOne)
    children = CHILD_OF.from_(GOAL)
    sources = DERIVED_FROM.to(GOAL)
    derived = DERIVED_FROM.from_(GOAL)
    evidence = EVIDENCES.from_(OBSERVATION)
    topics = ON.to(TOPIC)
    actions = ADVANCES.from_(PENDING_ACTION)
    invocations = ADVANCES.from_(TOOL_INVOCATION)
    questions = ABOUT.from_(QUESTION)
    summaries = SUMMARISES.from_(SUMMARY)
    actors = FOR.to(ACTOR)
    shares = MAY.from_(ACTOR)
    seen_by = SAW.from_(TURN)
    made_in = MADE.from_(TURN)
    versions = OF.from_(VERSION, OneOrMore)
    sessions = WORKED_ON.from_(SESSION)
