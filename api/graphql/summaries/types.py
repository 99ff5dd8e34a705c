"""Summaries as GraphQL types."""

from __future__ import annotations

from datetime import datetime

import strawberry

from prefrontal.api.graphql.records import Shown, shows
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
    rename={"of": "of_uid", "evidence_refs": "refs", "up_to_version": "upto"},
)
class SummaryType(Shown):
    """A summary."""

    id: strawberry.ID
    kind: SummaryKind
    of: strawberry.ID = strawberry.field(description="The id of the goal or the action.")
    label: str = strawberry.field(
        description="The period or event that is summarised, e.g. `v17`, `milestone:…`, `completed:v20`, "
        "`log`."
    )
    text: str
    evidence_refs: list[str] = strawberry.field(
        description="The complete evidence of the goal or action; only readable observations."
    )
    up_to_version: int = strawberry.field(description="The last version that the summary covers.")
    entries: int = strawberry.field(description="The number of log entries that the summary replaces.")
    created_at: datetime
