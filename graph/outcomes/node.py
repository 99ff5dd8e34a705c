"""The node class of outcomes."""

from __future__ import annotations

from typing import ClassVar

from neomodel import BooleanProperty, One, StringProperty

from prefrontal.graph.node import Node, Properties
from prefrontal.graph.relations import CONTRADICTS, LESSON, RESULTED_IN, SUPPORTS, TAUGHT, TURN


class Outcome(Node):
    """What came of a turn, with the feedback about it."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "client_key"),)
    composite_indexes: ClassVar[tuple[Properties, ...]] = (
        ("scope_id", "uid"),
        ("scope_id", "success", "uid"),
        ("scope_id", "by_uid"),
    )

    turn_uid = StringProperty(required=True)
    success = BooleanProperty(required=True)
    result = StringProperty()
    user_satisfaction = StringProperty()
    what_worked = StringProperty()
    what_could_improve = StringProperty()
    conflicting = BooleanProperty(required=True, help_text="Whether success and feedback contradict.")
    episode_uid = StringProperty(help_text="The id of the episode that tells it.")
    client_key = StringProperty()
    client_hash = StringProperty(help_text="A digest of the outcome and its feedback.")

    turn = RESULTED_IN.from_(TURN, One)
    taught = TAUGHT.to(LESSON)
    supports = SUPPORTS.to(LESSON)
    contradicts = CONTRADICTS.to(LESSON)
