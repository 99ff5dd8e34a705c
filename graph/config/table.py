"""The base class of the models of the registry's files."""

from __future__ import annotations

import math
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
Count = Annotated[int, Field(ge=1)]
Weight = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Part = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]
Word = Annotated[str, Field(min_length=1)]


class Table(BaseModel):
    """Base of all registry models: frozen; unknown keys and values of another type are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class SumsToOne(Table):
    """Weights that must sum to 1."""

    @model_validator(mode="after")
    def weights_sum_to_one(self) -> Self:
        """Refuse weights with which a weighted sum could leave 0–1."""
        total = sum(getattr(self, name) for name in type(self).model_fields)
        if not math.isclose(total, 1):
            raise ValueError(f"the weights must sum to 1, not {total:g}")
        return self
