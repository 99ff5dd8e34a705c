"""Models of the tables of sessions: capacity, admission, eviction, coherence and correlation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import Field, model_validator

from prefrontal.graph.config.table import Count, Name, Part, SumsToOne, Table, Weight, Word

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Words = tuple[Word, ...]


DEFAULT_SESSION_TYPE = "default"
"""The type of a session that names none."""


class BandTable(Table):
    """`capacity.yaml`, key `recommended`: the capacities that need no warning."""

    least: Count
    most: Count


class BatcherTable(Table):
    """`capacity.yaml`, keys `accesses` and `access_log`: how often notes of answers are written."""

    every_seconds: Positive
    batch: Count
    most: Count


class CapacityTable(Table):
    """`capacity.yaml`: how many items a session holds, and when an idle one ends."""

    default: Count
    least: Count
    recommended: BandTable
    hard_limit: Count
    types: Mapping[Name, Count]
    idle_timeout_minutes: Positive
    checkpoints: Count
    """How many checkpoints of a session are kept."""
    accesses: BatcherTable
    access_log: BatcherTable

    @model_validator(mode="after")
    def within_limits(self) -> Self:
        """Refuse a capacity below `least` or above `hard_limit`, and a band that lies elsewhere."""
        named = {"default": self.default, **{f"types.{name}": held for name, held in self.types.items()}}
        named |= {"recommended.least": self.recommended.least, "recommended.most": self.recommended.most}
        outside = [name for name, held in named.items() if not self.least <= held <= self.hard_limit]
        if outside:
            raise ValueError(f"not from {self.least} to {self.hard_limit}: {', '.join(outside)}")
        if self.recommended.least > self.recommended.most:
            raise ValueError("recommended.least is more than recommended.most")
        return self

    def of(self, session_type: str | None) -> int:
        """Return the capacity of a session of a type, if the session itself names none."""
        return self.default if session_type is None else self.types.get(session_type, self.default)

    def is_known_type(self, session_type: str) -> bool:
        """Return whether a type of sessions is one that the registry names, or that of those without one."""
        return session_type == DEFAULT_SESSION_TYPE or session_type in self.types

    def is_recommended(self, capacity: int) -> bool:
        """Return whether a capacity needs no warning."""
        return self.recommended.least <= capacity <= self.recommended.most


class SalienceWeights(SumsToOne):
    """`admission.yaml`, key `weights`: the parts of salience; they sum to 1."""

    relevance: Weight
    urgency: Weight
    recency: Weight
    attention: Weight


class ModulationTable(Table):
    """`admission.yaml`, key `modulation`: what raises the admission score above the salience."""

    task_relevance: Weight
    coherence_boost: Weight


class MeaningTable(Table):
    """Key `meaning`: the cosines of texts that have nothing and much in common."""

    floor: Annotated[float, Field(ge=-1, le=1)]
    ceiling: Annotated[float, Field(ge=-1, le=1)]

    @model_validator(mode="after")
    def in_order(self) -> Self:
        """Refuse a ceiling that is not above the floor."""
        if self.ceiling <= self.floor:
            raise ValueError("ceiling must be more than floor")
        return self

    def share(self, cosine: float) -> float:
        """Return how much two texts with a cosine have in common, between 0 and 1."""
        return min(1.0, max(0.0, (cosine - self.floor) / (self.ceiling - self.floor)))


class ByEncoder(Table):
    """A table with constants of cosines for each encoder."""

    meaning: Mapping[Word, MeaningTable]

    @model_validator(mode="after")
    def has_default(self) -> Self:
        """Refuse a table without the constants of encoders that it does not name."""
        if "default" not in self.meaning:
            raise ValueError("meaning must have `default`, for encoders that are not named")
        return self

    def meaning_of(self, encoder: str | None) -> MeaningTable:
        """Return the constants of an encoder."""
        return self.meaning.get(encoder or "default") or self.meaning["default"]


class UrgencyTable(Table):
    """`admission.yaml`, key `urgency`: what the signs of urgency in a text are worth, and the signs."""

    now: Weight
    deadline: Weight
    soon: Weight
    now_signs: Words
    soon_signs: Words
    openers: Words
    times: Words
    reach: Count
    negations: Words


class AdmissionTable(ByEncoder):
    """`admission.yaml`: which items a session admits."""

    weights: SalienceWeights
    modulation: ModulationTable
    base_threshold: Weight
    pressure: Weight
    reason_at: Weight
    recency_half_life_hours: Positive
    neutral: Weight
    full_share: Annotated[float, Field(gt=0, le=1)]
    urgency: UrgencyTable


class EvictionWeights(Table):
    """`eviction.yaml`, key `weights`: the terms of the eviction score; the first two are per hour."""

    time_since_access: Part
    time_since_admission: Part
    salience: Part
    confidence: Part
    frequency: Part
    theme: Part
    coherence: Part


class EvictionTable(Table):
    """`eviction.yaml`: which items leave a session that holds too many."""

    weights: EvictionWeights
    full_frequency_per_hour: Positive
    least_elapsed_seconds: Positive
    recency_decay_seconds: Positive


class CoherenceWeights(SumsToOne):
    """`coherence.yaml`, key `weights`: the parts of coherence; they sum to 1."""

    thematic: Weight
    entity: Weight
    temporal: Weight


class ThemesTable(Table):
    """`coherence.yaml`, key `themes`: which key phrases of a text are its themes."""

    per_item: Count
    least_rarity: Weight


class CoherenceTable(Table):
    """`coherence.yaml`: how well the items of a session belong together."""

    weights: CoherenceWeights
    dominant_themes: Count
    temporal_half_life_hours: Positive
    themes: ThemesTable


class CorrelationWeights(SumsToOne):
    """`correlation.yaml`, key `weights`: the parts of the correlation of two sessions; they sum to 1."""

    entity_overlap: Weight
    theme_similarity: Weight
    content_similarity: Weight
    temporal_proximity: Weight


class PullTable(Table):
    """`correlation.yaml`, key `pull`: what speaks for comparing two sessions that share it."""

    topic: Part
    goal: Part
    memory: Part


class CorrelationTable(ByEncoder):
    """`correlation.yaml`: which sessions are related."""

    weights: CorrelationWeights
    threshold: Weight
    max_lookback_hours: Positive
    alike: Weight
    close: Weight
    pull: PullTable
    hubs: Count
    fan: Count
    candidates: Count
    longest_session_hours: Positive
    shown: Count
