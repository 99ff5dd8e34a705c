"""Whether two sessions are related, how, and by what (source 002, §3.4; decisions G-075 and G-087 to G-091).

    score         = 0.3·entity overlap + 0.3·theme similarity + 0.2·content similarity
                    + 0.2·temporal proximity
    entity overlap, theme similarity
                    2 · names in common / (names of the one + names of the other); 0 without names
    content         (cosine of the mean vectors − floor) / (ceiling − floor), within 0–1; 0 without vectors
    temporal        1 − gap / look-back, not below 0: the gap is the time from the end of the earlier session
                    to the start of the later one, and 0 if they overlap. A running session has not ended yet
    related         if score > threshold and gap ≤ look-back

    relationship    entities and themes alike, close in time    continuation
                    entities and themes alike                   related
                    close in time                               adjacent
                    otherwise                                   weak

The first three parts are the same in both directions; the temporal part is that of the later session after
the earlier one. Names with the same stems are the same name. The names of a session are those of the items
that it holds, and once it has ended, of those that it held then (`digest.py`). The numbers are in
`registry/correlation.yaml`.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from prefrontal.graph.config.session_tables import CorrelationTable
from prefrontal.graph.sessions.correlation_record import Relationship
from prefrontal.graph.sessions.names import key, keys


class Digest(NamedTuple):
    """What is compared of a session: what it is about, and when it was. It has no content."""

    uid: str
    entities: tuple[str, ...]
    themes: tuple[str, ...]
    started_at: datetime
    ended_at: datetime | None = None


def digest_of(
    uid: str, names: Iterable[tuple[str, bool, bool]], started_at: datetime, ended_at: datetime | None
) -> Digest:
    """Return the digest of a session, from each name with whether it is an entity and whether a theme."""
    every = list(names)
    return Digest(
        uid,
        tuple(name for name, entity, _ in every if entity),
        tuple(name for name, _, theme in every if theme),
        started_at,
        ended_at,
    )


class Correlation(NamedTuple):
    """How a session is related to an earlier one, each number between 0 and 1."""

    session_id: str
    """The earlier session."""
    correlation_score: float
    relationship_type: Relationship
    shared_entities: tuple[str, ...]
    """As the later session spells them."""
    shared_themes: tuple[str, ...]
    entity_overlap: float
    theme_similarity: float
    content_similarity: float
    temporal_proximity: float


def correlation_of(
    later: Digest,
    earlier: Digest,
    cosine: float | None,
    table: CorrelationTable,
    *,
    encoder: str | None = None,
) -> Correlation | None:
    """Return how a session is related to an earlier one; None if it is not.

    Args:
        later: The session that started later.
        earlier: The session that started earlier.
        cosine: The cosine of the mean vectors of what they hold; None without vectors.
        table: The weights.
        encoder: The encoder of the vectors.
    """
    gap = max(timedelta(0), later.started_at - (earlier.ended_at or later.started_at))
    lookback = timedelta(hours=table.max_lookback_hours)
    if later.uid == earlier.uid or gap > lookback:
        return None
    parts = {
        "entity_overlap": _alike(later.entities, earlier.entities),
        "theme_similarity": _alike(later.themes, earlier.themes),
        "content_similarity": 0.0 if cosine is None else table.meaning_of(encoder).share(cosine),
        "temporal_proximity": 1 - gap / lookback,
    }
    score = round(min(1.0, sum(getattr(table.weights, name) * part for name, part in parts.items())), 9)
    if score <= table.threshold:
        return None
    return Correlation(
        session_id=earlier.uid,
        correlation_score=score,
        relationship_type=relationship_of(
            parts["entity_overlap"], parts["theme_similarity"], parts["temporal_proximity"], table
        ),
        shared_entities=shared_names(later.entities, earlier.entities),
        shared_themes=shared_names(later.themes, earlier.themes),
        **parts,
    )


def relationship_of(
    entity_overlap: float, theme_similarity: float, temporal_proximity: float, table: CorrelationTable
) -> Relationship:
    """Return what the relationship of two related sessions is called."""
    close = temporal_proximity >= table.close
    if min(entity_overlap, theme_similarity) >= table.alike:
        return Relationship.CONTINUATION if close else Relationship.RELATED
    return Relationship.ADJACENT if close else Relationship.WEAK


def in_order(found: Iterable[Correlation]) -> list[Correlation]:
    """Return correlations with the highest score first; of equal ones the later session."""
    ordered = sorted(found, key=lambda each: each.session_id, reverse=True)
    return sorted(ordered, key=lambda each: each.correlation_score, reverse=True)


def shared_names(names: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    """Return those of some names that are among others, each once, as they are spelled first."""
    wanted = keys(others)
    found: dict[str, str] = {}
    for name in names:
        if (word := key(name)) in wanted:
            found.setdefault(word, name)
    return tuple(found.values())


def _alike(names: Iterable[str], others: Iterable[str]) -> float:
    one, other = keys(names), keys(others)
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0.0
