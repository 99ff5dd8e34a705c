"""Random texts and tags like those of agents, from a small vocabulary that follows Zipf's law.

The frequency of the n-th word is proportional to 1 / n. Any sentence therefore shares words with most
observations, and a full-text search must rank very many hits.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from random import Random
from typing import TypeVar

from prefrontal.graph.scratch.record import ObservationContext, ObservationDraft, Source, SourceKind

T = TypeVar("T")

HALF, THIRD, RARE = "everything-half", "third", "one-percent"
"""Tags on 50 %, 33 % and 1 % of all observations, independently of each other."""

GOAL_KEY = "release"
"""A goal key in the context of 5 % of all observations."""

LONG_LIFE_MINUTES = 60 * 24 * 60
FADED_SHARE = 0.03

_NOUNS = (
    "user project build test deploy service error request database schema query index token session page "
    "report customer invoice meeting deadline release branch review ticket server cache queue worker "
    "message email calendar budget plan draft document table column form button screen theme layout"
)
_VERBS = (
    "prefers wants asked failed passed changed needs reported mentioned finished started waits blocks "
    "retries returns shows hides accepts rejects moved renamed removed added updated confirmed cancelled"
)
_OTHERS = (
    "slow fast dark light weekly monthly often rarely again today tomorrow morning evening late early new "
    "old large small broken stable final first last third-party internal external urgent optional"
)
_SMALL = "the to of a in for and on with is that after before from when not"

_PARTS = tuple(part.split() for part in (_SMALL, _NOUNS, _VERBS, _OTHERS))

VOCABULARY = tuple(
    dict.fromkeys(word for group in zip(*(list(part) * 3 for part in _PARTS), strict=False) for word in group)
) + tuple(f"{noun}-{number}" for number in range(1, 8) for noun in _PARTS[1])

TAGS = tuple(f"topic-{number:03d}" for number in range(1, 201))

_TYPES = ("contextual_insight", "user_preference", "tool_result", "operational_metric", "risk")

PROMPT = (
    "The customer asked again why the weekly report failed after the last release. Check the build and "
    "the database schema, see what changed in the query cache, and draft a message to the project team "
    "with the plan for tomorrow morning, the open tickets and what still blocks the deploy."
)


def zipf(words: Sequence[T]) -> tuple[Sequence[T], list[float]]:
    """Return the words with their cumulative weights for `Random.choices`."""
    return words, list(accumulate(1 / rank for rank in range(1, len(words) + 1)))


_WORDS = zipf(VOCABULARY)
_TAGS = zipf(TAGS)


def text(random: Random, least: int = 8, most: int = 24) -> str:
    """Return a sentence of `least` to `most` words."""
    words = random.choices(_WORDS[0], cum_weights=_WORDS[1], k=random.randint(least, most))
    return " ".join(words).capitalize() + "."


def tags(random: Random) -> tuple[str, ...]:
    """Return the tags of an observation: the three fixed tags by their shares, and one to three topics."""
    known = [
        name for name, share in ((HALF, 1 / 2), (THIRD, 1 / 3), (RARE, 1 / 100)) if random.random() < share
    ]
    topics = random.choices(_TAGS[0], cum_weights=_TAGS[1], k=random.randint(1, 3))
    return tuple(dict.fromkeys([*known, *topics]))


def draft(random: Random, goal_ids: Sequence[str] = ()) -> ObservationDraft:
    """Return a random observation; 3 % are expired from the start.

    Every tenth names one of `goal_ids`, if there are any, and every twentieth names `GOAL_KEY`.
    """
    goal_id = random.choice(goal_ids) if goal_ids and random.random() < 0.1 else None
    return ObservationDraft(
        content=text(random),
        type=random.choice(_TYPES),
        confidence=round(random.random(), 2),
        tags=tags(random),
        source=Source(kind=random.choice(list(SourceKind)), name=f"source-{random.randint(1, 20)}"),
        context=ObservationContext(
            goal_id=goal_id,
            goal_key=GOAL_KEY if random.random() < 0.05 else None,
            user_id=f"user-{random.randint(1, 50)}",
        ),
        ttl_minutes=0 if random.random() < FADED_SHARE else LONG_LIFE_MINUTES,
        metadata={"run": random.randint(1, 1000)} if random.random() < 0.3 else None,
    )
