"""Summaries as GraphQL types."""

from __future__ import annotations

from datetime import datetime

import strawberry

from prefrontal.graph.summaries.record import Summary, SummaryKind

strawberry.enum(
    SummaryKind,
    name="SummaryKind",
    description="What a summary is of: MESO a stretch of a goal's life, MACRO a milestone or its completion, "
    "LOG the log of a finished action.",
)


@strawberry.type(name="Summary", description="What happened, in few words, with every piece of evidence.")
class SummaryType:
    """A summary."""

    id: strawberry.ID
    kind: SummaryKind
    of: strawberry.ID = strawberry.field(description="The goal or the action.")
    label: str = strawberry.field(description="E.g. `v17`, `milestone:…`, `completed:v20`, `log`.")
    text: str
    evidence_refs: list[str] = strawberry.field(
        description="Every piece of evidence of what it is of; of the observations those you may read."
    )
    up_to_version: int = strawberry.field(description="The last version it tells of.")
    entries: int = strawberry.field(description="How many log entries it stands in for.")
    created_at: datetime

    @classmethod
    def from_record(cls, s: Summary) -> SummaryType:
        """Return the type of a record."""
        return cls(
            id=strawberry.ID(s.uid),
            kind=s.kind,
            of=strawberry.ID(s.of_uid),
            label=s.label,
            text=s.text,
            evidence_refs=list(s.refs),
            up_to_version=s.upto,
            entries=s.entries,
            created_at=s.created_at,
        )
