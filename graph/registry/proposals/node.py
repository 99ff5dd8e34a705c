"""Proposals to change the registry."""

from __future__ import annotations

from typing import ClassVar

from neomodel import ArrayProperty, DateTimeNeo4jFormatProperty, StringProperty

from prefrontal.graph.node import ChangingNode, Properties


class RegistryProposal(ChangingNode):
    """What somebody wants to be changed in the registry; in its organisation's common space."""

    composite_unique: ClassVar[tuple[Properties, ...]] = (("org_id", "name_key"),)
    composite_indexes: ClassVar[tuple[Properties, ...]] = (
        ("scope_id", "status", "uid"),
        ("status", "uid"),
    )

    proposal_type = StringProperty(required=True)
    subject = StringProperty(required=True)
    type_id = StringProperty()
    requested_name = StringProperty(help_text="The unknown type that was used, as it was written.")
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
    authors = ArrayProperty(StringProperty(), required=True, help_text="Who wrote it; they do not decide.")
    reviewers = ArrayProperty(StringProperty(), required=True)
    reviews = StringProperty(required=True, help_text="JSON: who decided what, with which comments, when.")
    name_key = StringProperty(help_text="The folded name of the type to be added, once in an organisation.")
    repo = StringProperty(help_text="The repository it was exported to.")
    branch = StringProperty()
    commit = StringProperty()
    pr_url = StringProperty()
    exported_at = DateTimeNeo4jFormatProperty()
    merged_at = DateTimeNeo4jFormatProperty()
    locked_at = DateTimeNeo4jFormatProperty(help_text="Written to lock it while something is decided.")
