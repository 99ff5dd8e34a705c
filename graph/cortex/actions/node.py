"""Graph schema of pending actions."""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    ArrayProperty,
    BooleanProperty,
    DateTimeNeo4jFormatProperty,
    FloatProperty,
    IntegerProperty,
    OneOrMore,
    StringProperty,
    ZeroOrOne,
)

from prefrontal.graph.node import ChangingNode, Properties
from prefrontal.graph.relations import (
    ACTOR,
    ADVANCES,
    AWAITS,
    EVIDENCES,
    FOR,
    GOAL,
    MADE,
    OBSERVATION,
    OF,
    REGISTRY_PROPOSAL,
    SAW,
    SUMMARISES,
    SUMMARY,
    TURN,
    VERSION,
)


class PendingAction(ChangingNode):
    """A concrete next step towards a goal."""

    composite_indexes: ClassVar[tuple[Properties, ...]] = (
        ("scope_id", "status", "uid"),
        ("scope_id", "open", "owner", "sort_key"),
        ("scope_id", "open", "owner", "due_key"),
        ("person_id", "open", "sort_key"),
        ("person_id", "open", "due_key"),
        ("type", "escalated", "overdue_from"),
        ("awaiting", "uid"),
        ("scope_id", "type", "created_at", "status", "failed"),
        ("scope_id", "by_uid"),
    )
    composite_unique: ClassVar[tuple[Properties, ...]] = (("scope_id", "client_key"),)

    goal_id = StringProperty()
    type = StringProperty(required=True)
    title = StringProperty(required=True)
    description = StringProperty()
    owner = StringProperty(required=True)
    person_id = StringProperty(help_text="The id of the person whose action it is, if a user owns it.")
    priority = StringProperty(required=True)
    priority_rank = IntegerProperty(required=True)
    effort = FloatProperty()
    status = StringProperty(required=True)
    due_at = DateTimeNeo4jFormatProperty()
    blocking = BooleanProperty(required=True)
    requires_confirmation = BooleanProperty(required=True)
    confirmation_requested = BooleanProperty(
        help_text="Somebody asked for the confirmation: no new type ends the need for it."
    )
    auto_complete = BooleanProperty(required=True)
    density = FloatProperty(required=True, help_text="Priority divided by effort.")
    open = BooleanProperty(required=True, help_text="Neither completed nor cancelled.")
    sort_key = StringProperty(required=True, help_text="Sorts actions by utility; ends in the uid.")
    due_key = StringProperty(required=True, help_text="Sorts actions by due time; ends in the uid.")
    evidence_refs = ArrayProperty(StringProperty(), required=True)
    confirmed_by = StringProperty()
    confirmed_at = DateTimeNeo4jFormatProperty()
    result = StringProperty(help_text="JSON.")
    completed_at = DateTimeNeo4jFormatProperty()
    archived_at = DateTimeNeo4jFormatProperty()
    escalated_at = DateTimeNeo4jFormatProperty()
    escalated = BooleanProperty(required=True, help_text="Already escalated for the present due time.")
    failed = BooleanProperty(required=True, help_text="A result has said, once at least, that it failed.")
    overdue_from = DateTimeNeo4jFormatProperty(
        help_text="The due time while the action is open, else absent."
    )
    awaiting = BooleanProperty(help_text="True while the action waits for an event, else absent.")
    awaited_id = StringProperty(help_text="The id of the node that the awaited event is about.")
    awaited_type = StringProperty(help_text="The type of the awaited event.")
    event_at = DateTimeNeo4jFormatProperty(help_text="When the awaited event happened.")
    untyped = StringProperty(
        help_text="While the action is a user task because no type was named: the requested owner, or empty."
    )
    compacted_at = DateTimeNeo4jFormatProperty(help_text="When a summary replaced the log of the action.")
    client_key = StringProperty(help_text="The client's own key for the action.")
    locked_at = DateTimeNeo4jFormatProperty(help_text="Written to take the write lock of the node.")
    metadata = StringProperty(help_text="JSON.")
    created_from_turn_id = StringProperty()

    goal = ADVANCES.to(GOAL, ZeroOrOne)
    person = FOR.to(ACTOR, ZeroOrOne)
    evidence = EVIDENCES.from_(OBSERVATION)
    proposal = AWAITS.to(REGISTRY_PROPOSAL, ZeroOrOne)
    summaries = SUMMARISES.from_(SUMMARY)
    seen_by = SAW.from_(TURN)
    made_in = MADE.from_(TURN)
    versions = OF.from_(VERSION, OneOrMore)
