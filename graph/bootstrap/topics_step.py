"""The steps of migrations 0017 and 0027: link the observations, goals and memories of before to their topics.

That of 0027 also gives each memory, observations too, the digest of its text by which it is forgotten.

Cypher cannot compute stems. Each batch is a transaction of its own, and what is linked is left out, so that a
second run continues where a run that was killed has stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from prefrontal.graph.cortex.goals.topics import topics_of_title
from prefrontal.graph.text.folding import text_key
from prefrontal.graph.topics.rows import topic_rows
from prefrontal.graph.topics.rules import LONGEST, kept_topics, topics_in_order

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config.tables import TopicsTable
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_OBSERVATIONS, _GOALS, _MEMORIES = 200, 50, 200
"""How many records one batch looks at."""
_TIMEOUT_S = 60.0


async def link_topics(database: Database, *, clock: Clock, table: TopicsTable) -> None:
    """Link each observation and each goal that is not linked to its topics yet."""
    for find, link, batch in (
        (_find_observations, _link_observations, _OBSERVATIONS),
        (_find_goals, _link_goals, _GOALS),
    ):
        after, looked = "", batch
        while looked == batch:
            found = await database.read(partial(find, after=after, batch=batch), timeout_s=_TIMEOUT_S)
            if found["items"]:
                work = partial(link, items=found["items"], table=table, now=clock.now())
                await database.write(work, timeout_s=_TIMEOUT_S)
            looked, after = int(found["looked"]), found["last_uid"]


async def link_memories(database: Database, *, clock: Clock, table: TopicsTable) -> None:
    """Link each durable memory that is not linked to its topics yet; give memories their texts' digests."""
    after, looked = "", _MEMORIES
    while looked == _MEMORIES:
        found = await database.read(partial(_find_memories, after=after), timeout_s=_TIMEOUT_S)
        if found["items"]:
            work = partial(_link_memories, items=found["items"], table=table, now=clock.now())
            await database.write(work, timeout_s=_TIMEOUT_S)
        looked, after = int(found["looked"]), found["last_uid"]


async def _find_memories(tx: Tx, *, after: str) -> Row:
    return await tx.one("topics/find_former_memories", after=after, batch=_MEMORIES)


async def _link_memories(tx: Tx, *, items: Sequence[Row], table: TopicsTable, now: datetime) -> None:
    rows = [
        {"uid": item["uid"], "text_key": text_key(item["scope_id"], item["content"])}
        for item in items
        if not item["keyed"]
    ]
    if rows:
        await tx.execute("topics/write_text_keys", rows=rows)
    topics = _topics_of([item for item in items if not item["linked"]], table, now)
    if topics:
        await tx.execute("topics/link_memories", topics=topics)


async def _find_observations(tx: Tx, *, after: str, batch: int) -> Row:
    return await tx.one("topics/find_unlinked_observations", after=after, batch=batch)


async def _find_goals(tx: Tx, *, after: str, batch: int) -> Row:
    return await tx.one("topics/find_unlinked_goals", after=after, batch=batch)


async def _link_observations(tx: Tx, *, items: Sequence[Row], table: TopicsTable, now: datetime) -> None:
    await tx.execute("topics/link_observations", topics=_topics_of(items, table, now))


def _topics_of(items: Sequence[Row], table: TopicsTable, now: datetime) -> list[dict[str, Any]]:
    """Return one row per topic of some observations or memories, with their ids."""
    about: dict[tuple[str, str], list[Row]] = {}
    for item in items:
        for key in kept_topics(item["tags"], item["content"], table):
            about.setdefault((item["scope_id"], key), []).append(item)
    rows: list[dict[str, Any]] = []
    for (scope_id, key), members in sorted(about.items()):
        # Whoever stored the first of them created the topic.
        first = members[0]
        (row,) = topic_rows([(scope_id, key)], org_id=first["org_id"], by_uid=first["by_uid"], now=now)
        rows.append(row | {"uids": [item["uid"] for item in members]})
    return rows


async def _link_goals(tx: Tx, *, items: Sequence[Row], table: TopicsTable, now: datetime) -> None:
    rows = [{"uid": item["uid"], "topics": _topics_of_goal(item, table, now)} for item in items]
    await tx.execute("topics/link_goals", rows=rows)


def _topics_of_goal(item: Row, table: TopicsTable, now: datetime) -> list[dict[str, Any]]:
    own = topics_of_title(item["title"], item["goal_type"], table)
    evidence = set(item["topic_keys"])
    if item["foreign"]:
        # The list also has words of texts in other spaces. A word stays if a text of the goal's space has it.
        evidence &= {
            topic for o in item["evidence"] for topic in topics_in_order(o["tags"], o["content"], table)
        }
    evidence = {topic for topic in evidence if 0 < len(topic) <= LONGEST}
    keys = [(item["scope_id"], key) for key in own | evidence]
    rows = topic_rows(keys, org_id=item["org_id"], by_uid=item["by_uid"], now=now)
    return [row | {"own": row["key"] in own, "evidence": row["key"] in evidence} for row in rows]
