"""Queries for the summaries of conversations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from prefrontal.graph.ids import Kind, kind_of, new_id
from prefrontal.graph.summaries.record import (
    ConversationSummary,
    MessageText,
    NamedTopic,
    OldMessages,
    SettledKind,
    TurnEffect,
)
from prefrontal.graph.text.folding import fold, text_key
from prefrontal.graph.text.words import stem
from prefrontal.graph.validation import short_name

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
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
            messages=tuple(MessageText.model_validate(each) for each in new[number]["said"]),
            left=new[number]["left"],
        )
        for number, (item, summary) in enumerate(zip(found, earlier, strict=True))
    ]


class ConversationState(NamedTuple):
    """The summary of a conversation, and of its newest messages the topics and what their turns did."""

    text: str | None
    named: tuple[NamedTopic, ...]
    settled: tuple[TurnEffect, ...]


async def find_state(
    tx: Tx, caller: Caller, key: str, scope_id: str, *, newest: int
) -> ConversationState | None:
    """Return what a conversation of a readable space has; None if there is none."""
    row = await tx.optional(
        "summaries/read_conversation",
        scope_id=scope_id,
        key=key,
        newest=newest,
        readable=list(caller.readable),
    )
    if row is None:
        return None
    settled = [_settled(item) for item in row["founded"]]
    for item in row["moved"]:
        changes = json.loads(item.pop("changes"))
        settled.append(_settled(item | {"status": changes["status"]}))
    named = [NamedTopic(key=stem(fold(item["name"])), **item) for item in row["entities"]]
    named += [NamedTopic(key=item["name"], **item) for item in row["topics"]]
    return ConversationState(row["text"], tuple(named), tuple(settled))


def _settled(item: Row) -> TurnEffect:
    return TurnEffect.model_validate(item | {"kind": _SETTLED[kind_of(item["uid"])]})


_SETTLED: dict[Kind | None, SettledKind] = {
    Kind.GOAL: SettledKind.GOAL,
    Kind.PENDING_ACTION: SettledKind.ACTION,
    Kind.STORY: SettledKind.STORY,
}


async def find_words(
    tx: Tx, caller: Caller, settled: Sequence[TurnEffect], uids: Sequence[str]
) -> tuple[frozenset[tuple[str, str]], dict[str, str]]:
    """Return those of some titles that say a text that was forgotten, and the texts of messages by their ids.

    A title is forgotten in the space of its record; it comes with the space.
    """
    titles = {(each.scope_id, text_key(each.scope_id, each.title)): each.title for each in settled}
    if not titles and not uids:
        return frozenset(), {}
    row = await tx.one(
        "summaries/read_words",
        keys=[{"scope_id": scope_id, "text_key": key} for scope_id, key in sorted(titles)],
        uids=list(uids),
        readable=list(caller.readable),
    )
    forgotten = frozenset(
        (item["scope_id"], titles[item["scope_id"], item["text_key"]]) for item in row["forgotten"]
    )
    return forgotten, {item["uid"]: item["content"] for item in row["said"]}


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
