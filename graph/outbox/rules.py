"""The order in which the relay stamps the events of a batch.

    an organisation's events    in the order of their ids, which is about that of time
    an aggregate's events       among the places that they have there: by `aggregate_version`, then by id

An id is made before its transaction waits for locks, so ids of one aggregate may be in another order than
its versions. Only the events of that aggregate change places then; all others keep theirs.

A stamp is never changed. An event of an older version that is committed after its batch gets a later place:
who reads an aggregate's events compares `aggregate_version`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from prefrontal.graph.outbox.record import Waiting


def in_order(events: Iterable[Waiting]) -> dict[str, list[str]]:
    """Return the ids of some events in the order of their stamps, by organisation."""
    by_id = sorted(events, key=lambda event: event.uid)
    ranked: defaultdict[tuple[str, str], list[Waiting]] = defaultdict(list)
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
