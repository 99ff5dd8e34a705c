"""The base of every record: a frozen value that imports nothing above it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen value; unknown fields are refused, so a misspelt one is noticed."""

    model_config = ConfigDict(frozen=True, extra="forbid")
