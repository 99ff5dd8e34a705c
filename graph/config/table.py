"""What every model of a registry file shares."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]


class Table(BaseModel):
    """Base of all registry models: frozen; an unknown key is an error, and so is `yes` for a number."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
