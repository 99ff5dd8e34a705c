"""The base class of every record. Records are immutable values and import no stores or services."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """An immutable value. Unknown fields are refused, so a misspelt field name raises an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")
