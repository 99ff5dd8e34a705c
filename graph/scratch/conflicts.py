"""Detects and stores contradictions in the transaction that writes the observations.

Concurrent transactions do not see each other's new observations, so a contradiction between these is not
detected. Detecting it would need a lock that makes all writers of a space wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from prefrontal.graph.entities.rules import entity_id
from prefrontal.graph.errors import NotFound
from prefrontal.graph.journal.record import Event, EventType, Trace, TraceKind
from prefrontal.graph.scratch import store
from prefrontal.graph.scratch.contradiction import (
    Candidate,
    ContradictionDetector,
    RewordedDetector,
    contradictions,
    inferred,
)
from prefrontal.graph.scratch.record import ConflictSource, Contradiction, Observation, ObservationStatus
from prefrontal.graph.scratch.text_frame import key_of

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config.tables import ContradictionTable
    from prefrontal.graph.storage.unit_of_work import Tx


@dataclass(frozen=True, slots=True)
class ConflictJournal:
    """The journal entries of contradictions."""

    traces: tuple[Trace, ...] = ()
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class DeclaredConflicts:
    """The observations that a client declares a new observation to contradict.

    `path` is the path of the new observation's draft in the client's input.
    """

    uids: tuple[str, ...]
    path: str


class ConflictFinder:
    """Finds the contradictions of new texts and stores them."""

    def __init__(self, detector: ContradictionDetector, table: ContradictionTable) -> None:
        self._detector = detector
        self._table = table

    @property
    def bounds(self) -> dict[str, int]:
        """How many observations to compare with, per frame and nearby, and the length of their texts."""
        table = self._table
        return {"most": table.candidates, "nearest": table.nearest, "longest": table.longest}

    def stating(self, observations: Iterable[Observation]) -> frozenset[str]:
        """Return the ids of the first active observations that are compared with others nearby."""
        detector = self._detector
        if not isinstance(detector, RewordedDetector):
            return frozenset()
        active = (o for o in observations if o.status is ObservationStatus.ACTIVE)
        found = (o.uid for o in active if detector.keys(o.content))
        return frozenset(islice(found, self._table.searches))

    def frame_key(self, o: Observation) -> str:
        """Return the frame key of an observation.

        Repeated and possibly contradicting observations have it too.
        """
        return key_of(self._detector.frame(o.content), o.context.user_id)

    async def note(
        self,
        tx: Tx,
        caller: Caller,
        new: Sequence[tuple[str, Observation]],
        known: Mapping[str, Sequence[Candidate]],
        now: datetime,
        *,
        near: Mapping[str, Sequence[Candidate]] | None = None,
        declared: Mapping[str, DeclaredConflicts] | None = None,
        turn_id: str | None = None,
    ) -> ConflictJournal:
        """Store the contradictions of new observations, and return the journal entries.

        Without a contradiction no query is run.

        Args:
            tx: The transaction that writes the observations.
            caller: The caller that writes the observations.
            new: The observations with their frame keys.
            known: By frame key, the other stored observations, newest first.
            now: The time of the change.
            near: By observation id, the other stored observations that are near in meaning.
            declared: By observation id, the contradictions that the client declared.
            turn_id: The turn of the change; each observation's own turn when omitted.

        Raises:
            NotFound: If a declared observation is unknown or not readable.
        """
        declared = declared or {}
        found = {
            (source, uid): Contradiction(
                source_id=source, target_id=uid, how=ConflictSource.DECLARED, kind=None
            )
            for source, named in declared.items()
            for uid in named.uids
        }
        texts = [
            (key, Candidate(o.uid, o.content, o.context.user_id, _entities(caller, o)))
            for key, o in new
            if o.status is ObservationStatus.ACTIVE
        ]
        seen = contradictions(self._detector, texts, known, self._table.candidates)
        if isinstance(self._detector, RewordedDetector):
            seen += inferred(self._detector, [text for _, text in texts], near or {}, self._table.nearest)
        for item in seen:
            pair = (item.source_id, item.target_id)
            # If a contradiction was both declared and detected, the kind of difference is known.
            found[pair] = found[pair].model_copy(update={"kind": item.kind}) if pair in found else item
        if not found:
            return ConflictJournal()
        linked = await store.link_conflicts(tx, caller, list(found.values()), now)
        for source, named in declared.items():
            for number, uid in enumerate(named.uids):
                if (source, uid) not in linked:
                    where = f"{named.path}.contradicts[{number}]".removeprefix(".")
                    raise NotFound("no such observation", field=where)
        by_uid = {o.uid: o for _, o in new}
        pairs = [(by_uid[item.source_id], item) for pair, item in found.items() if pair in linked]
        return ConflictJournal(
            traces=tuple(_trace(o, item, turn_id) for o, item in pairs),
            events=tuple(_event(o, item, turn_id) for o, item in pairs),
        )


def _entities(caller: Caller, o: Observation) -> frozenset[str]:
    return frozenset(entity_id(caller.org_id, entity.name) for entity in o.entities)


def _how_and_kind(item: Contradiction) -> dict[str, str | None]:
    return {"how": item.how.value, "kind": item.kind.value if item.kind else None}


def _trace(o: Observation, item: Contradiction, turn_id: str | None) -> Trace:
    return Trace(
        kind=TraceKind.OBSERVATIONS_CONFLICT,
        message="Conflicting observations",
        ids=(item.source_id, item.target_id),
        details=_how_and_kind(item),
        turn=turn_id or o.source.turn_id,
        scope_id=o.scope_id,
    )


def _event(o: Observation, item: Contradiction, turn_id: str | None) -> Event:
    return Event(
        type=EventType.OBSERVATION_CONFLICTED,
        aggregate=o.uid,
        aggregate_version=o.version,
        scope_id=o.scope_id,
        data={"observation_id": o.uid, "contradicts": item.target_id, **_how_and_kind(item)},
        turn=turn_id or o.source.turn_id,
    )
