"""Graph schema of registry proposals."""

from __future__ import annotations

from typing import ClassVar

from neomodel import ArrayProperty, DateTimeNeo4jFormatProperty, OneOrMore, StringProperty

from prefrontal.graph.node import ChangingNode, Properties
from prefrontal.graph.relations import (
    AWAITS,
    MADE,
    OF,
    PENDING_ACTION,
    PROPOSED,
    TURN,
    VERSION,
)


class RegistryProposal(ChangingNode):
    """A proposed change of the registry, stored in its organisation's common space."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("org_id", "name_key"),)
    composite_indexes: ClassVar[tuple[Properties, ...]] = (
        ("scope_id", "status", "uid"),
        ("status", "uid"),
    )

    proposal_type = StringProperty(required=True)
    subject = StringProperty(required=True)
    type_id = StringProperty()
    requested_name = StringProperty(help_text="The requested unknown type, as written by the client.")
    display_name = StringProperty()
    description = StringProperty()
    diff = StringProperty(help_text="JSON: keys of the type's file with their new values.")
    suggested_policies = StringProperty(help_text="JSON.")
    allowed_statuses = ArrayProperty(StringProperty())
    allowed_transitions = StringProperty(help_text="JSON.")
    rationale = StringProperty(required=True)
    examples = ArrayProperty(StringProperty(), required=True)
    risks = ArrayProperty(StringProperty(), required=True)
    created_from_turn_id = StringProperty()
    status = StringProperty(required=True)
    status_reason = StringProperty()
    authors = ArrayProperty(
        StringProperty(), required=True, help_text="The actors who wrote the proposal; they cannot review it."
    )
    reviewers = ArrayProperty(StringProperty(), required=True)
    reviews = StringProperty(
        required=True, help_text="JSON: reviewer, decision, comments and time of each review."
    )
    name_key = StringProperty(help_text="The folded name of the type to add, unique in an organisation.")
    repo = StringProperty(help_text="The repository to which the proposal was exported.")
    branch = StringProperty()
    commit = StringProperty()
    pr_url = StringProperty()
    exported_at = DateTimeNeo4jFormatProperty()
    merged_at = DateTimeNeo4jFormatProperty()
    locked_at = DateTimeNeo4jFormatProperty(help_text="Written to take the write lock of the node.")

    actions = AWAITS.from_(PENDING_ACTION)
    turns = PROPOSED.from_(TURN)
    made_in = MADE.from_(TURN)
    versions = OF.from_(VERSION, OneOrMore)
