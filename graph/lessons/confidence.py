"""How sure a lesson is: the mean of a Beta distribution after its outcomes.

    confidence = (for + support) / (for + against + support + contradiction)

    support        the number of outcomes that taught or confirmed it
    contradiction  the number of outcomes that showed the opposite
    for, against   the prior of `lessons.yaml`: as many outcomes are assumed before the first one

Each outcome is one trial of a Bernoulli experiment, so with a prior Beta(for, against) the posterior is
Beta(for + support, against + contradiction), and this is its mean (Laplace's rule of succession with for =
against = 1). It lies strictly between 0 and 1, rises with each confirmation and falls with each
contradiction; the first ones count most.
"""

from __future__ import annotations

from prefrontal.graph.config.lesson_tables import PriorsTable
from prefrontal.graph.lessons.record import LessonSource


def confidence(support: int, contradiction: int, source: LessonSource, priors: PriorsTable) -> float:
    """Return the confidence of a lesson with some outcomes for and against it."""
    prior = priors.feedback if source is LessonSource.FEEDBACK else priors.log
    favour, against = prior.favour + support, prior.against + contradiction
    return favour / (favour + against)
