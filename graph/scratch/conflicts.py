"""Contradictions in the transaction that writes observations: found, declared, stored, journaled.

Two calls at the same moment do not see each other's observations, and so find no contradiction between
them: for that, all writers of a space would have to wait for one another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from prefrontal.graph.errors import NotFound
from prefrontal.graph.journal.record import Event, EventType, Trace, TraceKind
from prefrontal.graph.scratch import store
from prefrontal.graph.scratch.contradiction import Candidate, ContradictionDetector, contradictions
from prefrontal.graph.scratch.record import ConflictSource, Contradiction, Observation, ObservationStatus
from prefrontal.graph.scratch.text_frame import key_of

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config.tables import ContradictionTable
    from prefrontal.graph.storage.unit_of_work import Tx


@dataclass(frozen=True, slots=True)
class Found:
    """What the journal says of contradictions."""

    traces: tuple[Trace, ...] = ()
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Declared:
    """What a caller says that a new observation contradicts, and where it says so."""

    uids: tuple[str, ...]
    path: str


class ConflictFinder:
    """Finds what new texts contradict and writes it down."""

    def __init__(self, detector: ContradictionDetector, table: ContradictionTable) -> None:
        """Take what compares texts, and how many of them."""
        self._detector = detector
        self._table = table

    @property
    def bounds(self) -> dict[str, int]:
        """How many of a frame are looked at, and how long they may be."""
        return {"most": self._table.candidates, "longest": self._table.longest}

    def frame_key(self, o: Observation) -> str:
        """Return the key that an observation shares with what repeats it and what may contradict it."""
        return key_of(self._detector.frame(o.content), o.context.user_id)

    async def note(
        self,
        tx: Tx,
        caller: Caller,
        new: Sequence[tuple[str, Observation]],
        known: Mapping[str, Sequence[Candidate]],
        now: datetime,
        *,
        declared: Mapping[str, Declared] | None = None,
        turn_id: str | None = None,
    ) -> Found:
        """Store what observations contradict, and return what the journal says of it.

        Without a contradiction no statement is run.

        Args:
            tx: The transaction that writes the observations.
            caller: Who writes them.
            new: The observations with their frame keys.
            known: What else is stored under those keys, newest first.
            now: The time of the change.
            declared: By an observation's id, what its author says that it contradicts.
            turn_id: The turn, for those that name none themselves.

        Raises:
            NotFound: A declared one is unknown or not readable.
        """
        said = declared or {}
        found = {
            (source, uid): Contradiction(
                source_id=source, target_id=uid, how=ConflictSource.DECLARED, kind=None
            )
            for source, named in said.items()
            for uid in named.uids
        }
        texts = [(key, Candidate(o.uid, o.content)) for key, o in new if o.status is ObservationStatus.ACTIVE]
        for item in contradictions(self._detector, texts, known, self._table.candidates):
            pair = (item.source_id, item.target_id)
            # Declared and seen: the difference is known, too.
            found[pair] = found[pair].model_copy(update={"kind": item.kind}) if pair in found else item
        if not found:
            return Found()
        linked = await store.link_conflicts(tx, caller, list(found.values()), now)
        for source, named in said.items():
            for number, uid in enumerate(named.uids):
                if (source, uid) not in linked:
                    where = f"{named.path}.contradicts[{number}]".removeprefix(".")
                    raise NotFound("no such observation", field=where)
        by_uid = {o.uid: o for _, o in new}
        pairs = [(by_uid[item.source_id], item) for pair, item in found.items() if pair in linked]
        return Found(
            traces=tuple(_trace(o, item, turn_id) for o, item in pairs),
            events=tuple(_event(o, item, turn_id) for o, item in pairs),
        )


def _said(item: Contradiction) -> dict[str, str | None]:
    return {"how": item.how.value, "kind": item.kind.value if item.kind else None}


def _trace(o: Observation, item: Contradiction, turn_id: str | None) -> Trace:
    return Trace(
        kind=TraceKind.OBSERVATIONS_CONFLICT,
        message="Conflicting observations",
        ids=(item.source_id, item.target_id),
        details=_said(item),
        turn=turn_id or o.source.turn_id,
        scope_id=o.scope_id,
    )


def _event(o: Observation, item: Contradiction, turn_id: str | None) -> Event:
    return Event(
        type=EventType.OBSERVATION_CONFLICTED,
        aggregate=o.uid,
        aggregate_version=o.version,
        scope_id=o.scope_id,
        data={"observation_id": o.uid, "contradicts": item.target_id, **_said(item)},
        turn=turn_id or o.source.turn_id,
    )
