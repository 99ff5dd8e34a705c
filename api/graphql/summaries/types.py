"""Summaries as GraphQL types."""

from __future__ import annotations

from datetime import datetime

import strawberry

from prefrontal.api.graphql.nodes import node_at, refs_at
from prefrontal.api.graphql.records import Shown, shows
from prefrontal.graph.ids import Kind
from prefrontal.graph.summaries.record import Summary, SummaryKind

strawberry.enum(
    SummaryKind,
    name="SummaryKind",
    description="What a summary covers: MESO a period of a goal, MACRO a milestone or the completion of a "
    "goal, LOG the log of a finished action.",
)


@shows(
    Summary,
    "A summary of a goal or of a finished action, with its evidence.",
    rename={"evidence_refs": "refs", "up_to_version": "upto"},
)
class SummaryType(Shown):
    """A summary."""

    id: strawberry.ID
    kind: SummaryKind
    of = node_at(None, "of_uid", "The goal or the action.")
    label: str = strawberry.field(
        description="The period or event that is summarised, e.g. `v17`, `milestone:…`, `completed:v20`, "
        "`log`."
    )
    text: str
    evidence_refs: list[str] = strawberry.field(
        description="The complete evidence of the goal or action; only readable observations."
    )
    evidence = refs_at(Kind.OBSERVATION, "refs", "The observations among `evidenceRefs`, in their order.")
    up_to_version: int = strawberry.field(description="The last version that the summary covers.")
    entries: int = strawberry.field(description="The number of log entries that the summary replaces.")
    created_at: datetime
