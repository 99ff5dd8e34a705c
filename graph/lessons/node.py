"""The node class of lessons."""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    ArrayProperty,
    BooleanProperty,
    DateTimeNeo4jFormatProperty,
    IntegerProperty,
    StringProperty,
    ZeroOrOne,
)

from prefrontal.graph.memory.node import Remembered
from prefrontal.graph.node import Properties
from prefrontal.graph.relations import CONTRADICTS, LESSON, OUTCOME, SUPPORTS, TAUGHT


class Lesson(Remembered):
    """What outcomes taught about how to work. It stays until it is retired or forgotten."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "lesson_key"),)
    composite_indexes: ClassVar[tuple[Properties, ...]] = (("scope_id", "subject"),)

    lesson_key = StringProperty(required=True, help_text="A digest of what identifies it in its space.")
    says = StringProperty(required=True, help_text="What it says, e.g. worked or fallback.")
    source = StringProperty(required=True, help_text="What it was first learned from: feedback or log.")
    subject = StringProperty(required=True, help_text="What it is about, e.g. a tool or the stems of a text.")
    holds = BooleanProperty(required=True, help_text="False if it says that the subject fails.")
    aspect = StringProperty(required=True, help_text="What of the subject it is about.")
    tools = ArrayProperty(StringProperty(), required=True)
    support = IntegerProperty(required=True, help_text="The number of outcomes for it.")
    contradiction = IntegerProperty(required=True, help_text="The number of outcomes against it.")
    conflicting = BooleanProperty(
        required=True, help_text="Whether an outcome taught it and showed the opposite, or a lesson does."
    )
    retired_at = DateTimeNeo4jFormatProperty()
    retired_reason = StringProperty()

    taught_by = TAUGHT.from_(OUTCOME, ZeroOrOne)
    supported_by = SUPPORTS.from_(OUTCOME)
    contradicted_by = CONTRADICTS.from_(OUTCOME)
    contradicts = CONTRADICTS.between(LESSON)
