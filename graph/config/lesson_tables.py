"""Models of `registry/lessons.yaml` and of the files of its name for operations and language."""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import Field, model_validator

from prefrontal.graph.config.table import Count, Name, Table, Weight, Word

_Prior = Annotated[float, Field(gt=0, le=100, allow_inf_nan=False)]


class PriorTable(Table):
    """`lessons.yaml`, key `priors`: what a confidence is before any outcome, as outcomes for and against."""

    favour: _Prior = Field(alias="for")
    against: _Prior


class PriorsTable(Table):
    """`lessons.yaml`, key `priors`: by what a lesson was learned from."""

    feedback: PriorTable
    log: PriorTable


class ErrorTable(Table):
    """`lessons.yaml`, key `errors`: the phrases of a kind of error, and how a lesson says it of a tool."""

    phrases: tuple[Word, ...]
    said: Word


_GAPS = {
    "worked": {"text"},
    "improve": {"text"},
    "reliable": {"tool"},
    "reliable_for": {"tool", "kinds"},
    "several": {"tool"},
    "several_for": {"tool", "kinds"},
    "failure": {"tool", "said"},
    "fallback": {"tool", "said", "other"},
    "retry": {"tool", "said"},
    "retry_for": {"tool", "said", "kinds"},
}


class LessonWordingTable(Table):
    """`lessons.yaml`, key `wording`: the texts of lessons, with gaps in braces."""

    worked: Word
    improve: Word
    reliable: Word
    reliable_for: Word
    several: Word
    several_for: Word
    failure: Word
    fallback: Word
    retry: Word
    retry_for: Word

    @model_validator(mode="after")
    def _check(self) -> Self:
        for name, gaps in _GAPS.items():
            said = getattr(self, name)
            found = {gap for _, gap, _, _ in string.Formatter().parse(said) if gap is not None}
            if found != gaps:
                wanted = ", ".join(f"{{{gap}}}" for gap in sorted(gaps))
                raise ValueError(f"`{name}` must have these gaps and no others: {wanted}")
        return self


class LessonsTable(Table):
    """`lessons.yaml`: how lessons are learned from outcomes, and how sure they are."""

    priors: PriorsTable
    reliable_from: Count
    several_from: Annotated[int, Field(ge=2)]
    most_from_calls: Count
    near: Mapping[Annotated[str, Field(min_length=1)], Weight]
    pattern_from: Annotated[int, Field(ge=2)]
    longest: Annotated[int, Field(ge=50, le=5000)]
    subject_tags: Annotated[int, Field(ge=0, le=20)]
    value_tags: Annotated[int, Field(ge=0, le=20)]
    longest_value: Annotated[int, Field(ge=1, le=100)]
    compared: Annotated[int, Field(ge=0, le=10_000)]
    errors: Mapping[Name, ErrorTable]
    failing: tuple[Word, ...]
    denials: tuple[Word, ...]
    nameless: tuple[Word, ...]
    wording: LessonWordingTable

    @model_validator(mode="after")
    def _check(self) -> Self:
        if "default" not in self.near:
            raise ValueError("`near` needs a `default`")
        if sum(not error.phrases for error in self.errors.values()) != 1:
            raise ValueError("exactly one of the `errors` has no phrases: the one for all others")
        return self

    @property
    def other_error(self) -> str:
        """The kind of the errors that have none of the phrases."""
        return next(name for name, error in self.errors.items() if not error.phrases)
