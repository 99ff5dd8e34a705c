"""Conversations as sessions of working memory, by the rule that the service calls.

A turn is offered to the session at its own time, as a text without entities: a conversation declares none,
and the themes of its texts are found by the service. Before that the session is searched with the text of the
turn, and the best match is used (`REFRESH`), as by an agent that looks up what it holds on it.

The simple buffers get the same items with the same scores, and the same search.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from random import Random
from typing import NamedTuple

from bench.sessions.buffers import CHOICES, admitted
from bench.sessions.data import Talk
from bench.sessions.vectors import Vectors
from prefrontal.graph.config import Catalog
from prefrontal.graph.sessions.matching import matching
from prefrontal.graph.sessions.record import (
    Item,
    ItemContent,
    LockedSession,
    Session,
    SessionStatus,
    UpdateWorkingMemory,
    WorkingMemoryOperation,
)
from prefrontal.graph.sessions.update import Outcome, Tables, ranked, updated
from prefrontal.graph.text.words import stems_of


class Run(NamedTuple):
    """What was held, by the places of turns."""

    kept: tuple[frozenset[int], ...]
    """When each turn comes, before it is offered; and at last at the end."""
    items: tuple[Item, ...]
    """What is held at the end."""
    offered: tuple[Item | None, ...] = ()
    """Each turn as an item, None if it was not admitted."""


def tables_of(catalog: Catalog, *, admits_all: bool = False) -> Tables:
    """Return the tables that decide; with `admits_all` every item is admitted."""
    admission = catalog.admission
    if admits_all:
        admission = admission.model_copy(update={"base_threshold": 0.0})
    return Tables(
        catalog.capacity,
        admission,
        catalog.eviction,
        catalog.coherence,
        stems_of(catalog.goals.topics.stop_words),
    )


def replay(talk: Talk, capacity: int, tables: Tables, vectors: Vectors, *, reads: bool = True) -> Run:
    """Return what a session of the service holds during a conversation."""
    session = session_at(talk.started_at, capacity, uid=talk.id)
    items: tuple[Item, ...] = ()
    held, offered = [], []
    for place, turn in enumerate(talk.turns):
        held.append(_places(items))
        if reads and (match := _best_match(items, turn.text, tables)) is not None:
            refreshed = _refresh(session, match, turn.at, tables, items, vectors.encoder)
            session, items = _applied(items, refreshed)
        cosines = {
            item.item_id: cosine
            for item in items
            if (cosine := vectors.cosine(turn.text, item.content)) is not None
        }
        outcome = updated(
            LockedSession(session=session, items=items, cosines=cosines),
            _command(session, WorkingMemoryOperation.ADD, ItemContent(item_id=_id(place), content=turn.text)),
            uid=_id(place),
            encoder=vectors.encoder,
            now=turn.at,
            tables=tables,
        )
        session, items = _applied(items, outcome)
        offered.append(outcome.added)
    return Run((*held, _places(items)), items, tuple(offered))


def buffered(
    talk: Talk,
    offered: Sequence[Item | None],
    capacity: int,
    policy: str,
    tables: Tables,
    *,
    reads: bool = True,
) -> Run:
    """Return what a simple buffer holds, if it is offered what a session admitted."""
    random = Random(f"{talk.id}/{capacity}")
    items: list[Item] = []
    held = []
    for turn, item in zip(talk.turns, offered, strict=True):
        held.append(_places(items))
        if reads and (match := _best_match(items, turn.text, tables)) is not None:
            used = {"last_access": turn.at, "access_count": match.access_count + 1}
            items = [
                each.model_copy(update=used) if each.item_id == match.item_id else each for each in items
            ]
        if item is not None:
            items = admitted(items, item, capacity, CHOICES[policy], random)
    return Run((*held, _places(items)), tuple(items))


def session_at(
    at: datetime, capacity: int, *, uid: str, task: str | None = None, focus: Sequence[str] = ()
) -> Session:
    """Return a session that starts at a time."""
    return Session(
        uid=uid,
        scope_id="bench",
        key=uid,
        session_type="default",
        status=SessionStatus.ACTIVE,
        max_capacity=capacity,
        task=task,
        focus=tuple(focus),
        last_activity=at,
        created_at=at,
        updated_at=at,
        by_uid="bench",
        version=1,
    )


def _applied(items: tuple[Item, ...], outcome: Outcome) -> tuple[Session, tuple[Item, ...]]:
    """Return a session and what it holds after an update."""
    leaving = {each.item_id for each in outcome.left}
    new = {item.item_id: item for item in (outcome.changed, outcome.added) if item is not None}
    stay = [new.pop(item.item_id, item) for item in items if item.item_id not in leaving]
    return outcome.session, (*stay, *(item for uid, item in new.items() if uid not in leaving))


def _refresh(
    session: Session, item: Item, now: datetime, tables: Tables, items: tuple[Item, ...], encoder: str | None
) -> Outcome:
    return updated(
        LockedSession(session=session, items=items),
        _command(session, WorkingMemoryOperation.REFRESH, ItemContent(item_id=item.item_id)),
        uid=item.item_id,
        encoder=encoder,
        now=now,
        tables=tables,
    )


def _best_match(items: Sequence[Item], text: str, tables: Tables) -> Item | None:
    return next(iter(matching(ranked(items), text, (), tables.stop_words)), None)


def _command(
    session: Session, operation: WorkingMemoryOperation, content: ItemContent
) -> UpdateWorkingMemory:
    return UpdateWorkingMemory(session_id=session.uid, operation=operation, content=content)


def _id(place: int) -> str:
    return f"{place:03}"


def _places(items: Iterable[Item]) -> frozenset[int]:
    return frozenset(int(item.item_id) for item in items)
