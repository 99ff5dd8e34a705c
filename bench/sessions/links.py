"""Whether sessions of the same conversation are found to be related, and others are not.

A session's digest is what the service has of it: the dominant themes of what it holds at its end, no
entities, since a conversation declares none, and the mean vector of what it holds. With `speakers` the names
of the speakers are its entities, as if a client had declared them: then they tell which conversation it is.

The sessions lie at their real times, or compressed: the sessions of a conversation start `APART` hours apart,
those of the other conversations in equal steps between them. Each keeps its length. A pair is an earlier
session that ended within the look-back of a later one; it is true if both are of one conversation, and for
`continuation`, if the earlier one is the last one before it there.

    precision   the true ones of the pairs found / the pairs found
    recall      the true ones of the pairs found / the true pairs
    first       the sessions whose highest correlation is a true pair / the sessions that have a true pair
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from bench.sessions.data import Talk
from bench.sessions.replay import Run
from bench.sessions.vectors import Array, Vectors
from prefrontal.graph.config.session_tables import CoherenceTable, CorrelationTable
from prefrontal.graph.sessions.coherence import dominant_themes_of
from prefrontal.graph.sessions.correlation import Correlation, Digest, correlation_of
from prefrontal.graph.sessions.correlation_record import Relationship
from prefrontal.graph.sessions.update import slot_of

APART = 6
"""Hours from the start of a session to that of the next one of its conversation."""
_START = datetime(2026, 1, 1, tzinfo=UTC)


class Linked(NamedTuple):
    """A session as it is compared."""

    conversation: str
    number: int
    """Its place in its conversation."""
    digest: Digest
    mean: Array | None


class Pair(NamedTuple):
    """A session and an earlier one, with what the rule says; a score of 0 if there is no correlation."""

    later: str
    score: float
    name: Relationship | None
    is_same: bool
    """Whether both are of one conversation."""
    is_next: bool
    """Whether the later one follows the earlier one there."""


class Quality(NamedTuple):
    """How well pairs were found; None where nothing can be counted."""

    found: int
    true: int
    precision: float | None
    recall: float | None

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        both = (self.precision or 0.0) + (self.recall or 0.0)
        return 2 * (self.precision or 0.0) * (self.recall or 0.0) / both if both else 0.0


def sessions_of(
    talks: Sequence[Talk],
    runs: Mapping[str, Run],
    vectors: Vectors,
    table: CoherenceTable,
    *,
    speakers: bool = False,
    compressed: bool = False,
) -> list[Linked]:
    """Return the sessions with their digests, in the order of their starts."""
    names = list(dict.fromkeys(talk.conversation for talk in talks))
    counted: dict[str, int] = defaultdict(int)
    found = []
    for talk in talks:
        place = counted[talk.conversation]
        counted[talk.conversation] += 1
        start = talk.started_at
        if compressed:
            start = _START + timedelta(hours=APART * (place + names.index(talk.conversation) / len(names)))
        items = runs[talk.id].items
        digest = Digest(
            uid=talk.id,
            entities=talk.speakers if speakers else (),
            themes=dominant_themes_of([slot_of(item) for item in items], table),
            started_at=start,
            ended_at=start + (talk.ended_at - talk.started_at),
        )
        found.append(Linked(talk.conversation, place, digest, vectors.mean(item.content for item in items)))
    return sorted(found, key=lambda each: each.digest.started_at)


def cosine_of(one: Linked, other: Linked) -> float | None:
    """Return the cosine of the mean vectors of two sessions; None without vectors."""
    return None if one.mean is None or other.mean is None else float(one.mean @ other.mean)


def pairs_of(sessions: Sequence[Linked], table: CorrelationTable, encoder: str | None) -> list[Pair]:
    """Return all pairs of a session with one that ended within its look-back; no threshold applies."""
    open_table = table.model_copy(update={"threshold": 0.0})
    lookback = timedelta(hours=table.max_lookback_hours)
    found = []
    for number, later in enumerate(sessions):
        for earlier in sessions[:number]:
            if later.digest.started_at - (earlier.digest.ended_at or later.digest.started_at) > lookback:
                continue
            said = correlation_of(
                later.digest, earlier.digest, cosine_of(later, earlier), open_table, encoder=encoder
            )
            found.append(_pair(later, earlier, said))
    return found


def _pair(later: Linked, earlier: Linked, said: Correlation | None) -> Pair:
    is_same = later.conversation == earlier.conversation
    return Pair(
        later=later.digest.uid,
        score=0.0 if said is None else said.correlation_score,
        name=None if said is None else said.relationship_type,
        is_same=is_same,
        is_next=is_same and later.number == earlier.number + 1,
    )


def quality(pairs: Iterable[Pair], finds: Callable[[Pair], bool], is_true: Callable[[Pair], bool]) -> Quality:
    """Return how well a condition finds the true ones of some pairs."""
    known = list(pairs)
    found = [pair for pair in known if finds(pair)]
    true = sum(map(is_true, known))
    right = sum(map(is_true, found))
    return Quality(len(found), true, right / len(found) if found else None, right / true if true else None)


def related(pairs: Sequence[Pair], threshold: float) -> Quality:
    """Return how well a threshold finds the pairs of the same conversation."""
    return quality(pairs, lambda pair: pair.score > threshold, lambda pair: pair.is_same)


def continuations(pairs: Sequence[Pair], threshold: float) -> Quality:
    """Return how well `continuation` finds the pairs that follow each other."""
    return quality(
        pairs,
        lambda pair: pair.score > threshold and pair.name is Relationship.CONTINUATION,
        lambda pair: pair.is_next,
    )


def best_threshold(pairs: Sequence[Pair]) -> float:
    """Return the threshold, in steps of a hundredth, with the highest F1; of equal ones the lowest."""
    return max((step / 100 for step in range(100)), key=lambda each: related(pairs, each).f1)


def first(pairs: Sequence[Pair]) -> float | None:
    """Return the share of the sessions with a true pair whose highest pair is one; None if none has any."""
    by_session: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_session[pair.later].append(pair)
    able = [group for group in by_session.values() if any(pair.is_same for pair in group)]
    right = [max(group, key=lambda pair: pair.score).is_same for group in able]
    return sum(right) / len(right) if right else None


def cosines(sessions: Sequence[Linked]) -> tuple[list[float], list[float]]:
    """Return the cosines of sessions that follow each other, and of those of different conversations."""
    following, unrelated = [], []
    for number, later in enumerate(sessions):
        for earlier in sessions[:number]:
            cosine = cosine_of(later, earlier)
            if cosine is None:
                continue
            if later.conversation != earlier.conversation:
                unrelated.append(cosine)
            elif abs(later.number - earlier.number) == 1:
                following.append(cosine)
    return following, unrelated
