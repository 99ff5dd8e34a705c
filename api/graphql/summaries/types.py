"""Summaries as GraphQL types."""

from __future__ import annotations

from datetime import datetime

import strawberry

from prefrontal.api.graphql.nodes import node_field, refs_field, space_field
from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.graph.ids import Kind
from prefrontal.graph.summaries.record import ConversationState, Decision, KeyTopic, Summary, SummaryKind

strawberry.enum(
    SummaryKind,
    name="SummaryKind",
    description="What a summary covers: MESO a period of a goal, MACRO a milestone or the completion of a "
    "goal, LOG the log of a finished action.",
)


@graphql_type_of(
    Summary,
    "A summary of a goal or of a finished action, with its evidence.",
    rename={"evidence_refs": "refs", "up_to_version": "upto"},
)
class SummaryType(RecordType):
    """A summary."""

    id: strawberry.ID
    kind: SummaryKind
    of = node_field(None, "of_uid", "The goal or the action.")
    label: str = strawberry.field(
        description="The period or event that is summarised, e.g. `v17`, `milestone:…`, `completed:v20`, "
        "`log`."
    )
    text: str
    evidence_refs: list[str] = strawberry.field(
        description="The complete evidence of the goal or action; only readable observations."
    )
    evidence = refs_field(Kind.OBSERVATION, "refs", "The observations among `evidenceRefs`, in their order.")
    up_to_version: int = strawberry.field(description="The last version that the summary covers.")
    entries: int = strawberry.field(description="The number of log entries that the summary replaces.")
    created_at: datetime


@graphql_type_of(KeyTopic, "What a conversation is about.", name="ConversationTopic")
class KeyTopicType(RecordType):
    """A key topic."""

    name: str
    messages: int = strawberry.field(
        description="How many of the conversation's newest messages are about it."
    )


@graphql_type_of(Decision, "Something that a turn of a conversation decided.", name="ConversationDecision")
class DecisionType(RecordType):
    """A decision."""

    text: str
    turn = node_field(Kind.TURN, "turn_uid", "The turn that decided it.")
    at: datetime
    of = node_field(None, "of_uid", "The goal, action or story that it is about.")


@graphql_type_of(
    ConversationState,
    "What a conversation was about so far: the summary of its older messages, key topics and decisions.",
    name="ConversationSummary",
)
class ConversationSummaryType(RecordType):
    """The summary of a conversation."""

    key: str = strawberry.field(description="The client's key of the conversation.")
    space = space_field()
    text: str | None = strawberry.field(
        description="The summary of its older messages, on one line; null as long as it is too short for one."
    )
    key_topics: list[KeyTopicType] = strawberry.field(
        description="What its newest messages are about: that of the most messages first."
    )
    decisions: list[DecisionType] = strawberry.field(
        description="The newest decisions of its turns, in their order: goals, actions and stories that were "
        "created or changed their status, as far as you may read them."
    )
