"""How much of what later turns need is held, by a session and by simple buffers of the same capacity.

With `all` every turn is admitted, with `rule` those that a session of that capacity admits; the simple
buffers get the same ones. What was not admitted counts as not held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from bench.sessions.buffers import CHOICES
from bench.sessions.data import Talk
from bench.sessions.intervals import Interval, difference_of, share_of
from bench.sessions.needs import met, needs_of
from bench.sessions.replay import Run, buffered, replay, tables_of
from bench.sessions.vectors import Vectors
from prefrontal.graph.config import Catalog

RULE, AGAINST = "rule", "lru"
KINDS = ("together", "again", "far", "asked")


class Counts(NamedTuple):
    """Of one kind of need, for each session: how many there are, and how many each policy meets."""

    cases: tuple[int, ...]
    hits: Mapping[str, tuple[int, ...]]

    def share(self, policy: str) -> Interval | None:
        """Return the share of the needs that a policy meets."""
        return share_of(self.hits[policy], self.cases)

    def more(self, policy: str, other: str) -> Interval | None:
        """Return how much more of the needs a policy meets than another."""
        return difference_of(self.hits[policy], self.hits[other], self.cases)

    def of(self, places: Sequence[int]) -> Counts:
        """Return the counts of some of the sessions."""
        return Counts(
            tuple(self.cases[place] for place in places),
            {policy: tuple(hits[place] for place in places) for policy, hits in self.hits.items()},
        )


class Retention(NamedTuple):
    """What a capacity and a way of admission gave."""

    capacity: int
    admits: str
    admitted: float
    """The share of the turns that were admitted."""
    by_kind: Mapping[str, Counts]


def measure(
    talks: Sequence[Talk], capacity: int, catalog: Catalog, vectors: Vectors, *, admits: str, reads: bool
) -> Retention:
    """Return how much of what later turns need the rule and the simple buffers hold."""
    tables = tables_of(catalog, admits_all=admits == "all")
    runs: list[dict[str, Run]] = []
    offered = []
    for talk in talks:
        run = replay(talk, capacity, tables, vectors, reads=reads)
        offered += [item is not None for item in run.offered]
        simple = {name: buffered(talk, run.offered, capacity, name, tables, reads=reads) for name in CHOICES}
        runs.append({RULE: run, **simple})
    counts = counted(talks, runs, capacity)
    return Retention(capacity, admits, sum(offered) / len(offered), counts)


def counted(talks: Sequence[Talk], runs: Iterable[Mapping[str, Run]], capacity: int) -> dict[str, Counts]:
    """Return the needs of sessions, and how many of them each policy meets, by the kinds of needs."""
    known = [(needs_of(talk, capacity), by_policy) for talk, by_policy in zip(talks, runs, strict=True)]
    policies = list(known[0][1]) if known else []
    return {
        kind: Counts(
            tuple(len(needs[kind]) for needs, _ in known),
            {
                policy: tuple(met(needs[kind], by_policy[policy].kept) for needs, by_policy in known)
                for policy in policies
            },
        )
        for kind in KINDS
    }


PROFILES: dict[str, dict[str, float]] = {
    "default": {},
    "no time": {"time_since_access": 0, "time_since_admission": 0},
    "time x 3": {"time_since_access": 0.9, "time_since_admission": 0.6},
    "time x 10": {"time_since_access": 3, "time_since_admission": 2},
    "salience x 5": {"salience": 1},
    "no salience": {"salience": 0},
    "no frequency": {"frequency": 0},
    "no themes": {"theme": 0, "coherence": 0},
    "themes x 6": {"theme": 0.3, "coherence": 0.3},
}
"""Weights of `eviction.yaml` that stand beside the default ones."""


def profiles(
    talks: Sequence[Talk],
    capacity: int,
    catalog: Catalog,
    vectors: Vectors,
    *,
    reads: bool,
    seen: Callable[[Iterable[str]], Iterable[str]] = lambda names: names,
) -> dict[str, Counts]:
    """Return for each kind of need what the rule meets with other weights, and `lru`; all is admitted.

    Args:
        talks: The sessions.
        capacity: How many items a session holds.
        catalog: The registry.
        vectors: The vectors of the turns.
        reads: Whether the best match of each turn is used.
        seen: Shows how far it is.
    """
    runs: list[dict[str, Run]] = [{} for _ in talks]
    default = tables_of(catalog, admits_all=True)
    for name in seen(PROFILES):
        weights = default.eviction.weights.model_copy(update=PROFILES[name])
        tables = default._replace(eviction=default.eviction.model_copy(update={"weights": weights}))
        for talk, by_name in zip(talks, runs, strict=True):
            by_name[name] = replay(talk, capacity, tables, vectors, reads=reads)
    for talk, by_name in zip(talks, runs, strict=True):
        by_name[AGAINST] = buffered(talk, by_name["default"].offered, capacity, AGAINST, default, reads=reads)
    return counted(talks, runs, capacity)


def best_of(counts: Counts) -> str:
    """Return the profile that meets the most needs; of equal ones the first."""
    return max(PROFILES, key=lambda name: sum(counts.hits[name]))


def halves(talks: Sequence[Talk]) -> tuple[list[int], list[int]]:
    """Return the places of the sessions of `tune`, else of every other conversation; and the rest."""
    names = list(dict.fromkeys(talk.conversation for talk in talks))
    odd = {talk.conversation for talk in talks if talk.split == "tune"} or set(names[::2])
    return (
        [place for place, talk in enumerate(talks) if talk.conversation in odd],
        [place for place, talk in enumerate(talks) if talk.conversation not in odd],
    )
