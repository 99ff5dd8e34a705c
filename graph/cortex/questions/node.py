"""Graph schema of questions and stories."""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    ArrayProperty,
    DateTimeNeo4jFormatProperty,
    IntegerProperty,
    One,
    OneOrMore,
    StringProperty,
    ZeroOrOne,
)

from prefrontal.graph.node import Plan, Properties
from prefrontal.graph.relations import (
    ABOUT,
    ANSWERS,
    EVIDENCES,
    GOAL,
    MADE,
    OBSERVATION,
    OF,
    QUESTION,
    SAW,
    STORY,
    TURN,
    VERSION,
)


class Question(Plan):
    """Something that the agent needs to find out, usually to reach a goal."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "client_key"),)
    composite_indexes: ClassVar[tuple[Properties, ...]] = (
        ("scope_id", "status", "priority_rank", "uid"),
        ("scope_id", "by_uid"),
    )

    text = StringProperty(required=True)
    priority = StringProperty(required=True)
    priority_rank = IntegerProperty(required=True, help_text="The priority as a number that sorts.")
    status = StringProperty(required=True)
    status_reason = StringProperty()
    owner = StringProperty(help_text="Who is expected to answer: agent or user.")
    tags = ArrayProperty(StringProperty(), required=True)
    tag_keys = ArrayProperty(StringProperty(), required=True, help_text="The folded tags.")
    archived_at = DateTimeNeo4jFormatProperty()
    client_key = StringProperty(help_text="The client's own key for the node.")
    locked_at = DateTimeNeo4jFormatProperty(help_text="Written to take the write lock of the node.")

    goal = ABOUT.to(GOAL, ZeroOrOne)
    stories = ANSWERS.from_(STORY)
    seen_by = SAW.from_(TURN)
    made_in = MADE.from_(TURN)
    versions = OF.from_(VERSION, OneOrMore)


class Story(Plan):
    """A narrative that answers a question and grows with what the agent finds out."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "client_key"),)
    composite_indexes: ClassVar[tuple[Properties, ...]] = (
        ("scope_id", "status", "uid"),
        ("scope_id", "by_uid"),
    )

    question_id = StringProperty(required=True)
    narrative = StringProperty(required=True)
    acceptance_criteria = ArrayProperty(StringProperty(), required=True)
    references = ArrayProperty(
        StringProperty(), required=True, help_text="Evidence outside this graph, as text."
    )
    status = StringProperty(required=True)
    status_reason = StringProperty()
    archived_at = DateTimeNeo4jFormatProperty()
    client_key = StringProperty(help_text="The client's own key for the node.")
    locked_at = DateTimeNeo4jFormatProperty(help_text="Written to take the write lock of the node.")

    question = ANSWERS.to(QUESTION, One)
    evidence = EVIDENCES.from_(OBSERVATION)
    seen_by = SAW.from_(TURN)
    made_in = MADE.from_(TURN)
    versions = OF.from_(VERSION, OneOrMore)
