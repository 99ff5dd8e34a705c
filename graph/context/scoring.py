"""The scores of retrieved memories, goals, pending actions and questions as candidates for a context.

    score     = relevance_weight * relevance + recency_weight * recency + confidence_weight * confidence
    relevance = closeness to the prompt (`graph.search.rules`) / that of what is closest; 0 for what is a
                candidate because it is new
    recency   = that of `graph.recency`; 1 for a kind whose memories do not age

What a session of working memory holds is close to what its actor attends to, whatever the prompt:

    relevance = the greater of its closeness to the prompt, and held_relevance * its salience

What an earlier session left unfinished is so as far as both sessions have something in common
(`graph.sessions.correlation`):

    relevance = the greater of its closeness to the prompt, and related_relevance * correlation * its salience

The score of what is part of a plan, i.e. of a goal, pending action or question:

    score     = urgency_weight * urgency + relevance_weight * relevance
    urgency   = rank of its priority / highest rank; 1 for an urgent action
    relevance = the greatest of
                the share of the prompt's terms, weighted by rarity, that its texts have, as part of
                `full_relevance` and at most 1
                of a goal or question that a search found, its closeness to the prompt; 0 below `floor`
                the relevance of what it belongs to: of a goal its most relevant evidence, of an action or
                question its goal

A note about somebody or something that the prompt names matters even if its words are far from those of the
prompt:

    closeness = named * the closeness of what is closest + (1 - named) * its own

If it binds whoever knows it (harm, a ban, a limit, a duty, a promise, a deadline: by its labels or its
vector, `graph.embedding.judge`), it is as close as what is closest, and essential: it comes before others of
its section.

A note about somebody else with a similar name is close by the spelling alone: it is left out, unless it
binds. A word that the prompt or another note has without a capital is no name ("Cars" beside "the car").

The parts and the scores are between 0 and 1. What is in every context, such as a mandate, has no parts.
The weights are in `registry/context.yaml` and sum to 1. The half-life of observations is there too, that of
each kind of durable memory in `registry/memory.yaml`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from prefrontal.graph.config.tables import ContextTable, GoalScoreTable, ObservationScoreTable
from prefrontal.graph.context.record import ScoreParts
from prefrontal.graph.entities.extraction import likely_names
from prefrontal.graph.search.rules import Hit, is_note
from prefrontal.graph.text.terms import every_term
from prefrontal.graph.text.words import WORD, bare_words_of, stem

_PARTS = tuple(ScoreParts.model_fields)
_BEGINNING = 3
"""Names with so many letters in common at the beginning are similar."""


def score_of(parts: ScoreParts, table: ObservationScoreTable | GoalScoreTable) -> float:
    """Return the sum of the parts by the weights of a table, between 0 and 1."""
    given = ((name, getattr(parts, name)) for name in _PARTS)
    return float(sum(getattr(table, f"{name}_weight") * value for name, value in given if value is not None))


def relevance_in_session(
    closeness: float, salience: float, table: ContextTable, correlation: float | None = None
) -> float:
    """Return how relevant something is that a session holds, or that an earlier one left, between 0 and 1.

    Args:
        closeness: How relevant it is for the prompt alone; 0 if no search found it.
        salience: Its salience in the session that holds it, or held it.
        table: The weights.
        correlation: How much the earlier session has in common with the present one; None if that holds it.
    """
    if correlation is None:
        return max(closeness, table.held_relevance * salience)
    return max(closeness, table.related_relevance * correlation * salience)


def is_about(hit: Hit, names: frozenset[str]) -> bool:
    """Return whether a note is about one of those whom a prompt names: it declares them, or has the name."""
    return is_note(hit) and bool(hit.about or not names.isdisjoint(bare_words_of(hit.content)))


def lifted(closeness: float, best: float, table: ContextTable) -> float:
    """Return how close a note about whom the prompt names is: at least `named` of what is closest."""
    return table.named * best + (1 - table.named) * closeness


def is_mistaken(hit: Hit, names: frozenset[str], ordinary: frozenset[str]) -> bool:
    """Return whether a note, about none of those whom a prompt names, is about one with a similar name.

    `ordinary` are stems of words that are no names (`ordinary_words`).
    """
    if not names or not is_note(hit):
        return False
    # What begins a sentence and is like a name is one, however frequent it is, unless it is a word.
    others = (name for name in likely_names(hit.content, 0.0) if stem(name) not in ordinary)
    return any(_resembles(other, name) for other in others for name in names)


def ordinary_words(texts: Iterable[str]) -> frozenset[str]:
    """Return the stems of the words that are written without a capital in one of some texts."""
    return frozenset(stem(word) for text in texts for word in WORD.findall(text) if word.islower())


def _resembles(one: str, other: str) -> bool:
    return one[:_BEGINNING] == other[:_BEGINNING] and one != other


class Match(NamedTuple):
    """How relevant something is for a prompt."""

    relevance: float = 0.0
    via: str | None = None
    """The id of what makes it relevant; None for its own words."""


def match(
    text: str,
    through: Mapping[str, float],
    terms: Mapping[str, float],
    table: GoalScoreTable,
    closeness: float = 0.0,
) -> Match:
    """Return how relevant something is for a prompt, between 0 and 1.

    Args:
        text: Its texts.
        through: The relevance of what it belongs to, by id.
        terms: The terms of the prompt with their weights.
        table: From which share of the terms it is wholly relevant.
        closeness: How close a search says that it is to the prompt; 0 if it is not close enough.
    """
    words = frozenset(every_term(text))
    whole = sum(terms.values())
    share = sum(weight for term, weight in terms.items() if term in words) / whole if whole else 0.0
    own = max(closeness, min(1.0, share / table.full_relevance))
    best = max(through, key=lambda uid: (through[uid], uid), default=None)
    if best is None or through[best] <= own:
        return Match(own)
    return Match(through[best], best)
