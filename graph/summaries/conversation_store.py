"""Queries for the summaries of conversations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.summaries.record import ConversationSummary, OldMessages, Said
from prefrontal.graph.validation import short_name

if TYPE_CHECKING:
    from prefrontal.graph.config.tables import SummariesTable
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx


async def lock_due(tx: Tx, table: SummariesTable, batch: int) -> list[OldMessages]:
    """Lock up to `batch` conversations that have gone on until the commit; return what is new in them."""
    due = table.conversation_every + table.conversation_newest
    row = await tx.one("summaries/lock_conversations", due=due, batch=batch)
    found = list(row["items"])
    if not found:
        return []
    earlier = [_summary(item["earlier"]) for item in found]
    read = await tx.one(
        "summaries/list_old_messages",
        conversations=[
            {
                "scope_id": item["scope_id"],
                "key": item["key"],
                "upto_uid": summary.upto_uid if summary else "",
            }
            for item, summary in zip(found, earlier, strict=True)
        ],
        newest=table.conversation_newest,
        # What is left counts up to so many: as many as make the next summary due.
        most=max(table.most_messages, table.conversation_every),
        characters=table.message_characters,
    )
    new = {item["number"]: item for item in read["items"]}
    return [
        OldMessages(
            org_id=item["org_id"],
            scope_id=item["scope_id"],
            key=item["key"],
            earlier=summary,
            said=tuple(Said.model_validate(each) for each in new[number]["said"]),
            left=new[number]["left"],
        )
        for number, (item, summary) in enumerate(zip(found, earlier, strict=True))
    ]


async def write(tx: Tx, made: Sequence[OldMessages], now: datetime) -> int:
    """Store the new summaries of conversations, and what is left of each; return the number of summaries."""
    row = await tx.one(
        "summaries/write_conversation_summaries",
        rows=[
            {
                "scope_id": old.scope_id,
                "key": old.key,
                "left": old.left,
                "made": {
                    "uid": new_id(Kind.SUMMARY, now),
                    "org_id": old.org_id,
                    "scope_id": old.scope_id,
                    "created_at": now,
                    # No caller asked for the summary, so the organisation itself is the actor.
                    "by_uid": old.org_id,
                    "entries": 0,
                },
                "summary": None if old.summary is None else _properties(old.summary, old.text),
            }
            for old in made
        ],
    )
    return int(row["written"])


def _properties(summary: ConversationSummary, text: str) -> dict[str, Any]:
    return {
        "name": short_name(text),
        "text": text,
        "refs": list(dict.fromkeys(quote.uid for quote in summary.quotes)),
        "upto": summary.messages,
        "upto_uid": summary.upto_uid,
        "seen_from": summary.since,
        "seen_until": summary.until,
        "speakers": list(summary.speakers),
        "quotes": json.dumps([quote.model_dump() for quote in summary.quotes], ensure_ascii=False),
    }


def _summary(item: Row | None) -> ConversationSummary | None:
    if item is None:
        return None
    return ConversationSummary.model_validate({**item, "quotes": json.loads(item["quotes"])})
