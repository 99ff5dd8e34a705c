"""The order in which the relay stamps the events of a batch, and in which the publisher sends them.

    an organisation's events    in the order of their ids, which is about that of time
    an aggregate's events       among the places that they have there: by `aggregate_version`, then by id

An id is made before its transaction waits for locks, so ids of one aggregate may be in another order than
its versions. Only the events of that aggregate change places then; all others keep theirs.

A stamp is never changed. An event of an older version that is committed after its batch gets a later place:
who reads an aggregate's events compares `aggregate_version`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from prefrontal.graph.outbox.record import PublishedEvent, UnorderedEvent


class _HasSubject(Protocol):
    @property
    def subject(self) -> str: ...


E = TypeVar("E", bound=_HasSubject)


def chains(events: Iterable[E]) -> list[list[E]]:
    """Return events in their order as one list for each aggregate, in the order of their first events.

    Whoever sends the lists side by side, and each event once the one before it has arrived, keeps the order
    of every aggregate, whichever of them fails.
    """
    found: dict[str, list[E]] = {}
    for event in events:
        found.setdefault(event.subject, []).append(event)
    return list(found.values())


def subject_of(prefix: str, org_key: str, event_type: str) -> str:
    """Return the subject under which a broker gets an event: `<prefix>.<organisation>.<type>`.

    A dot in the key of an organisation is written as `%2E`, because dots divide a subject.
    """
    return f"{prefix}.{org_key.replace('.', '%2E')}.{event_type}"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the broker has the events of an organisation after a round."""

    seq: int
    """It has, or has refused for good, all events up to this place."""
    failing: str | None
    """The event behind it, if the broker refuses that."""
    attempts: int
    """How often the broker has refused it."""
    dead: tuple[tuple[str, int, int, str], ...]
    """The events that it has refused for good: id, place, attempts and reason."""


def progress(
    events: Sequence[PublishedEvent],
    outcomes: Mapping[str, str | None],
    *,
    seq: int,
    end: int | None,
    failing: str | None,
    attempts: int,
    most: int,
) -> Progress:
    """Return how far the broker has an organisation's events.

    The place moves up to the first event that the broker does not have. An event there that it refuses is
    counted, and is left out as a dead letter after `most` refusals; those behind it go on.

    Args:
        events: The events of the round, in their order.
        outcomes: By id, None if the broker has the event, else why it refuses it; no entry: not known.
        seq: The place so far.
        end: The place behind which nothing follows yet, if these are all events up to it.
        failing: The event that the broker refused before.
        attempts: How often.
        most: After so many refusals an event is left out.
    """
    dead: list[tuple[str, int, int, str]] = []
    for event in events:
        if event.uid not in outcomes:
            same = failing == event.uid
            return Progress(seq, failing if same else None, attempts if same else 0, tuple(dead))
        reason = outcomes[event.uid]
        if reason is not None:
            tried = 1 + (attempts if failing == event.uid else 0)
            if tried < most:
                return Progress(seq, event.uid, tried, tuple(dead))
            dead.append((event.uid, event.seq, tried, reason))
        seq = event.seq
    return Progress(seq if end is None else max(seq, end), None, 0, tuple(dead))


def in_order(events: Iterable[UnorderedEvent]) -> dict[str, list[str]]:
    """Return the ids of some events in the order of their stamps, by organisation."""
    by_id = sorted(events, key=lambda event: event.uid)
    ranked: defaultdict[tuple[str, str], list[UnorderedEvent]] = defaultdict(list)
    for event in by_id:
        ranked[event.org_id, event.aggregate].append(event)
    following = {
        of: iter(sorted(own, key=lambda event: (event.aggregate_version, event.uid)))
        for of, own in ranked.items()
    }
    found: defaultdict[str, list[str]] = defaultdict(list)
    for event in by_id:
        found[event.org_id].append(next(following[event.org_id, event.aggregate]).uid)
    return dict(sorted(found.items()))
