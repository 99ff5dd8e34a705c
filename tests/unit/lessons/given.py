"""Turns and lessons for the tests of the rules."""

from __future__ import annotations

from typing import Any

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.lessons.extraction import drafts_of
from prefrontal.graph.lessons.record import Call, LessonDraft, TurnEvidence
from prefrontal.graph.text.words import stems_of

CATALOG = load_catalog(ROOT / "registry")
TABLE = CATALOG.lessons
STOP_WORDS = stems_of(CATALOG.goals.topics.stop_words)


def call(tool: str, error: str | None = None, **parameters: Any) -> Call:
    """Return a call of a tool, which failed if there is an error."""
    shown = "-".join([tool, *map(str, parameters.values()), error or "ok"])
    return Call(invocation_uid=shown, tool=tool, parameters=parameters, failed=error is not None, error=error)


def finding(*calls: Call, success: bool = True, **fields: Any) -> TurnEvidence:
    """Return what is known of a turn with some calls."""
    return TurnEvidence(turn_uid="turn_1", outcome_uid="out_1", success=success, calls=calls, **fields)


def learned(*calls: Call, success: bool = True, **fields: Any) -> tuple[LessonDraft, ...]:
    """Return the lessons of a turn with some calls."""
    return drafts_of(finding(*calls, success=success, **fields), TABLE, STOP_WORDS)


def statements(*calls: Call, success: bool = True, **fields: Any) -> list[str]:
    """Return the texts of the lessons of a turn with some calls."""
    return [draft.statement for draft in learned(*calls, success=success, **fields)]
