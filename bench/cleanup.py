"""Deletes what measured writes added, so that every operation runs on a data set of the intended size."""

from __future__ import annotations

from datetime import datetime

from neo4j import AsyncDriver
from ulid import ULID

from prefrontal.graph.ids import Kind

_CREATED = (
    ("Memory", Kind.OBSERVATION),
    ("Memory", Kind.MESSAGE),
    ("Memory", Kind.FACT),
    ("Memory", Kind.EPISODE),
    ("Memory", Kind.LESSON),
    ("Outcome", Kind.OUTCOME),
    ("ToolInvocation", Kind.TOOL_INVOCATION),
    ("ResultPart", Kind.RESULT_PART),
    ("Goal", Kind.GOAL),
    ("PendingAction", Kind.PENDING_ACTION),
    ("Version", Kind.VERSION),
    ("TraceEvent", Kind.TRACE_EVENT),
    ("OutboxEvent", Kind.OUTBOX_EVENT),
    ("Turn", Kind.TURN),
    ("ContextReceipt", Kind.CONTEXT_RECEIPT),
    ("Conversation", Kind.CONVERSATION),
    ("Session", Kind.SESSION),
)
_TIME_CHARACTERS = 10

_TEXTS_OF_NO_SESSION = (
    "CYPHER 25 MATCH (n:Fragment) WHERE n.uid >= $first AND n.uid < $end AND n.org_id IN $orgs "
    "AND NOT EXISTS { (n)<--(:Session) } CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 500 ROWS"
)
"""Those of the sessions that are kept stay, so that these hold what they count."""


async def remove_since(driver: AsyncDriver, database: str, org_ids: list[str], since: datetime) -> None:
    """Delete the nodes of these organisations that were created after `since`, by the time in their ids.

    The loaded data has ids of earlier times and is kept.
    """
    start = str(ULID.from_datetime(since))[:_TIME_CHARACTERS]
    delete = (
        "CYPHER 25 MATCH (n:{label}) WHERE n.uid >= $first AND n.uid < $end AND n.org_id IN $orgs "
        "CALL (n) {{ DETACH DELETE n }} IN TRANSACTIONS OF 500 ROWS"
    )
    made = [(delete.format(label=label), kind) for label, kind in _CREATED]
    async with driver.session(database=database) as session:
        for statement, kind in (*made, (_TEXTS_OF_NO_SESSION, Kind.FRAGMENT)):
            result = await session.run(
                statement,
                first=f"{kind.value}_{start}",
                end=f"{kind.value}_~",
                orgs=org_ids,
            )
            await result.consume()
