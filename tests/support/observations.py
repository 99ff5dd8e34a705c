"""Observations for rules that need no database."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.scratch.record import Observation, ObservationDraft
from prefrontal.graph.scratch.validation import observation_of

NOW = datetime(2025, 11, 5, 10, 30, tzinfo=UTC)
SPACE = "spc_01JBXM3Z8K0QF3W4T9V2C7H5RD"

_SCRATCH = load_catalog(Settings().registry_dir).scratch


def observed(
    *, at: datetime = NOW, uid: str | None = None, scope_id: str = SPACE, **draft: Any
) -> Observation:
    """What a draft becomes when it is added at `at`."""
    return observation_of(
        ObservationDraft.model_validate(draft),
        uid=uid or new_id(Kind.OBSERVATION, at),
        scope_id=scope_id,
        by_uid="agt_01JBXM3Z8K0QF3W4T9V2C7H5RD",
        now=at,
        scratch=_SCRATCH,
    )
