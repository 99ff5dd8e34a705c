"""Questions, and the stories that answer them."""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    ArrayProperty,
    DateTimeNeo4jFormatProperty,
    IntegerProperty,
    RelationshipTo,
    StringProperty,
)

from prefrontal.graph.node import ChangingNode, Link, Properties


class Question(ChangingNode):
    """Something to be found out, most often on the way to a goal."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "client_key"),)
    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "status", "priority_rank", "uid"),)

    text = StringProperty(required=True)
    priority = StringProperty(required=True)
    priority_rank = IntegerProperty(required=True, help_text="The priority as a number that sorts.")
    status = StringProperty(required=True)
    status_reason = StringProperty()
    owner = StringProperty(help_text="Who is to answer it.")
    tags = ArrayProperty(StringProperty(), required=True)
    tag_keys = ArrayProperty(StringProperty(), required=True, help_text="The folded tags.")
    archived_at = DateTimeNeo4jFormatProperty()
    client_key = StringProperty(help_text="The caller's own name for it.")
    locked_at = DateTimeNeo4jFormatProperty(help_text="Written to lock it while something is decided.")

    goal = RelationshipTo("prefrontal.graph.cortex.goals.node.Goal", "ABOUT", model=Link)


class Story(ChangingNode):
    """A narrative that answers a question and evolves with what is found out."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "client_key"),)
    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "status", "uid"),)

    question_id = StringProperty(required=True)
    narrative = StringProperty(required=True)
    acceptance_criteria = ArrayProperty(StringProperty(), required=True)
    references = ArrayProperty(
        StringProperty(), required=True, help_text="Evidence that is no node of this graph."
    )
    status = StringProperty(required=True)
    status_reason = StringProperty()
    archived_at = DateTimeNeo4jFormatProperty()
    client_key = StringProperty(help_text="The caller's own name for it.")
    locked_at = DateTimeNeo4jFormatProperty(help_text="Written to lock it while something is decided.")

    question = RelationshipTo("prefrontal.graph.cortex.questions.node.Question", "ANSWERS")
