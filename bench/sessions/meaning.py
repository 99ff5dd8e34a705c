"""Which cosines say that two things belong together: the floors and ceilings of `meaning` in the registry.

    floor    the median cosine of what does not belong together
    ceiling  the median cosine of what does

For `correlation.yaml` these are the mean vectors of what two sessions hold, of different conversations, and
of one conversation when they follow each other. For `admission.yaml` it is the mean cosine of a text and the
texts that a session holds, if it is the next one of that session, or one of another conversation.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from statistics import mean, median, quantiles
from typing import Any, NamedTuple

from bench.sessions.data import Talk
from bench.sessions.vectors import Vectors
from prefrontal.graph.config.session_tables import MeaningTable

BEFORE = 4
"""So many texts are held when another one is offered."""


class Apart(NamedTuple):
    """The cosines of what belongs together and of what does not."""

    near: Sequence[float]
    foreign: Sequence[float]

    @property
    def is_separated(self) -> float:
        """How often what belongs together has the higher cosine; equal ones count half."""
        wins = sum((one > other) + (one == other) / 2 for one in self.near for other in self.foreign)
        return wins / (len(self.near) * len(self.foreign))

    @property
    def meaning(self) -> MeaningTable | None:
        """The floor and the ceiling by these cosines, to three digits; None if they are not in order."""
        floor, ceiling = round(median(self.foreign), 3), round(median(self.near), 3)
        return MeaningTable(floor=floor, ceiling=ceiling) if floor < ceiling else None


def spread(cosines: Sequence[float]) -> tuple[float, float, float]:
    """Return the cosines below which a tenth, half and nine tenths lie."""
    tenths = quantiles(cosines, n=10, method="inclusive")
    return tenths[0], median(cosines), tenths[-1]


def offers_of(talks: Sequence[Talk], every: int = 1) -> list[dict[str, Any]]:
    """Return cases of admission made of conversations: the next turn belongs, one of another is foreign.

    A session holds the last four turns. The foreign turn is chosen by a seed.
    """
    random = Random(0)
    found = []
    for talk in talks:
        others = [other for other in talks if other.conversation != talk.conversation]
        for place in range(BEFORE, len(talk.turns), every):
            foreign = random.choice(random.choice(others).turns).text
            found.append(
                {
                    "id": talk.id,
                    "held": [turn.text for turn in talk.turns[place - BEFORE : place]],
                    "belongs": [talk.turns[place].text],
                    "foreign": [foreign],
                }
            )
    return found


def apart(cases: Sequence[dict[str, Any]], vectors: Vectors) -> Apart:
    """Return the mean cosines of offers and what is held."""
    cosines: dict[str, list[float]] = {"belongs": [], "foreign": []}
    for case in cases:
        for kind, found in cosines.items():
            for text in case[kind]:
                near = [vectors.cosine(text, held) for held in case["held"]]
                found.append(mean(cosine for cosine in near if cosine is not None))
    return Apart(cosines["belongs"], cosines["foreign"])
