"""Labelled sessions: do they admit what belongs to them, keep what is important, and know what is coherent?

What a session does is what the rule of the service says (`updated`); without vectors it has the words alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from ruamel.yaml import YAML

from bench.sessions.data import OWN
from bench.sessions.replay import session_at
from bench.sessions.vectors import Vectors
from prefrontal.graph.sessions.coherence import coherence_of
from prefrontal.graph.sessions.record import (
    Admission,
    Item,
    ItemContent,
    LockedSession,
    Salience,
    Session,
    UpdateWorkingMemory,
    WorkingMemoryOperation,
)
from prefrontal.graph.sessions.update import Outcome, Tables, slot_of, updated

LABELLED = OWN.with_name("labelled.yaml")
NOW = datetime(2026, 9, 16, 14, 30, tzinfo=UTC)
CAPACITY = 7
_CERTAIN = Salience(relevance_score=1, urgency=1, recency=1, user_attention=1)
"""Scores with which an item is admitted everywhere."""
_COMPUTED = Salience()


class Judged(NamedTuple):
    """What a session did with something labelled."""

    case: str
    text: str
    wanted: bool
    """Whether it should be admitted, should stay, or is more coherent."""
    found: bool

    @property
    def is_right(self) -> bool:
        """Whether the session did what the label says."""
        return self.wanted == self.found


def read(kind: str, split: str | None = None) -> list[dict[str, Any]]:
    """Return the labelled cases of a kind: `admission`, `eviction` or `coherence`."""
    found = YAML(typ="safe").load(LABELLED.read_text(encoding="utf-8"))[kind]
    return [case for case in found if split in (None, case["split"])]


def judged_admission(cases: Iterable[Mapping[str, Any]], tables: Tables, vectors: Vectors) -> list[Judged]:
    """Return for each offer whether it was admitted."""
    found = []
    for case in cases:
        held = tuple(_item(text, tables, place) for place, text in enumerate(case["held"]))
        for kind, wanted in (("belongs", True), ("foreign", False)):
            for text in case[kind]:
                session = session_at(
                    NOW, CAPACITY, uid="s", task=case.get("task"), focus=case.get("focus", ())
                )
                outcome = _offered(text, held, tables, vectors, session=session)
                found.append(Judged(case["id"], text, wanted, _admission(outcome).admitted))
    return found


def judged_eviction(cases: Iterable[Mapping[str, Any]], tables: Tables) -> list[Judged]:
    """Return for each important item whether it stayed when another one came."""
    found = []
    for case in cases:
        held = tuple(
            _item(each["text"], tables, place).model_copy(
                update={
                    "salience": each["salience"],
                    "access_count": each["reads"],
                    "last_access": NOW - timedelta(minutes=each["idle"]),
                    "admission_time": NOW - timedelta(minutes=each["held"]),
                }
            )
            for place, each in enumerate(case["items"])
        )
        outcome = _offered(
            case["offer"],
            held,
            tables,
            Vectors(None, {}),
            session=session_at(NOW, case["capacity"], uid="s"),
            salience=_CERTAIN,
        )
        left = {each.item_id for each in outcome.left}
        found += [
            Judged(case["id"], each["text"], wanted=True, found=item.item_id not in left)
            for each, item in zip(case["items"], held, strict=True)
            if each.get("important")
        ]
    return found


def judged_coherence(cases: Iterable[Mapping[str, Any]], tables: Tables) -> list[Judged]:
    """Return for each pair of sessions whether the one that is labelled so is the more coherent one."""
    found = []
    for case in cases:
        closer, looser = (_coherence(case, which, tables) for which in ("closer", "looser"))
        found.append(Judged(case["id"], "closer", wanted=True, found=closer > looser))
    return found


def _coherence(case: Mapping[str, Any], which: str, tables: Tables) -> float:
    texts: Sequence[str] = case[which]
    hours = case.get("hours", {}).get(which, [0] * len(texts))
    slots = [
        slot_of(_item(text, tables, place))._replace(at=NOW + timedelta(hours=after))
        for place, (text, after) in enumerate(zip(texts, hours, strict=True))
    ]
    return coherence_of(slots, tables.coherence).score


def _item(text: str, tables: Tables, place: int) -> Item:
    """Return a text as an item that was just admitted to an empty session."""
    outcome = _offered(
        text,
        (),
        tables,
        Vectors(None, {}),
        session=session_at(NOW, CAPACITY, uid="s"),
        item_id=f"item-{place}",
        salience=_CERTAIN,
    )
    if outcome.added is None:
        raise ValueError("an item of the highest salience was not admitted")
    return outcome.added


def _offered(
    text: str,
    held: tuple[Item, ...],
    tables: Tables,
    vectors: Vectors,
    *,
    session: Session,
    item_id: str = "offer",
    salience: Salience = _COMPUTED,
) -> Outcome:
    near = ((item.item_id, vectors.cosine(text, item.content)) for item in held)
    return updated(
        LockedSession(
            session=session,
            items=held,
            cosines={uid: cosine for uid, cosine in near if cosine is not None},
            task_cosine=vectors.cosine(text, session.task) if session.task else None,
        ),
        UpdateWorkingMemory(
            session_id=session.uid,
            operation=WorkingMemoryOperation.ADD,
            content=ItemContent(item_id=item_id, content=text),
            salience=salience,
        ),
        uid=item_id,
        encoder=vectors.encoder,
        now=NOW,
        tables=tables,
    )


def _admission(outcome: Outcome) -> Admission:
    if outcome.admission is None:
        raise ValueError("nothing was offered")
    return outcome.admission


def texts_of(cases: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the texts of cases of admission that have to be encoded."""
    found: list[str] = []
    for case in cases:
        found += [*case["held"], *case["belongs"], *case["foreign"]]
        if "task" in case:
            found.append(case["task"])
    return found
