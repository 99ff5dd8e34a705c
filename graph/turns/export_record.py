"""The StateExport of a turn (source 004, §StateExport Structure), with the names of the source.

What the source does not have is optional here: `provenance`, the new records of the turn, and what was not
remembered, each with the rule that left it out (decisions G-117, G-130 and G-132).
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue

_Ulid = Annotated[str, Field(pattern=r"^[0-7][0-9A-HJKMNP-TV-Z]{25}$")]
_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
_Number = Annotated[int, Field(ge=0)]


class StateType(StrEnum):
    """The type of a piece of a turn's state."""

    TOOL_EXECUTION = "tool_execution"
    OBSERVATION = "observation"
    EVENT = "event"
    ERROR = "error"


class Urgency(StrEnum):
    """How urgent a turn was."""

    HIGH = "HIGH"
    MEDIUM = "MEDIUM"
    LOW = "LOW"


class _Part(BaseModel):
    """A part of the export: closed, so that a misspelt field is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class TurnSummary(_Part):
    """The turn in short."""

    duration_ms: _Number = Field(description="From the beginning of the turn to its completion.")
    user_input: str
    assistant_response: str
    urgency: Urgency
    success: bool


class EpisodicExport(_Part):
    """A piece of state that is remembered."""

    type: StateType
    data: dict[str, JsonValue] = Field(description="What it says, and its `provenance`.")
    importance: _Share
    tags: list[str]


class Discarded(_Part):
    """A piece of state that is not remembered, and why."""

    type: StateType
    origin: str | None = Field(description="The id of the record that it was, or its place in the input.")
    importance: _Share
    rule: str = Field(
        description="What left it out: importance, relevance, confidence, actionability, quota or forgotten."
    )


class ArchivedExport(_Part):
    """An episode that was archived to make room for a more important one."""

    id: str
    importance: _Share


class FcUpdates(_Part):
    """What the turn changed of goals, actions, questions and stories."""

    completed_goals: list[str]
    updated_goals: dict[str, dict[str, JsonValue]]
    completed_actions: list[str]
    updated_actions: dict[str, dict[str, JsonValue]]
    new_actions: list[str] = []
    story_updates: list[str] = []


class ScratchPageUpdates(_Part):
    """What the turn changed on the scratch page."""

    archived_observations: list[str]
    updated_observations: dict[str, dict[str, JsonValue]]
    cleared_observations: list[str]
    new_observations: list[str] = []


class ConversationUpdate(_Part):
    """What was said in the turn, and its summary."""

    user_input: str
    assistant_response: str
    turn_summary: str


class ExportMetadata(_Part):
    """What the turn ran, what went wrong, and how much of its budget it used."""

    daemons_activated: list[str]
    tools_executed: list[str]
    errors: list[str]
    warnings: list[str]
    budget_used: _Number
    budget_total: _Number
    discarded: list[Discarded] = []
    archived: list[ArchivedExport] = []


class Provenance(_Part):
    """Where the export comes from."""

    source: str = "prefrontal"
    turn_id: str
    session_id: str | None = None
    space_id: str
    outcome_id: str | None = None


class StateExport(_Part):
    """All state changes of a turn, for daemons and archives."""

    export_id: _Ulid
    turn_id: str
    agent_id: str
    timestamp: AwareDatetime
    turn_summary: TurnSummary
    episodic_exports: list[EpisodicExport]
    fc_updates: FcUpdates
    scratch_page_updates: ScratchPageUpdates
    conversation_update: ConversationUpdate
    metadata: ExportMetadata
    provenance: Provenance | None = None

    def text(self) -> str:
        """Return the export as JSON; equal exports give equal bytes."""
        said = self.model_dump(mode="json")
        return json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def schema_text() -> str:
    """Return the JSON Schema of a StateExport as the text of its file."""
    schema = StateExport.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps(schema, indent=2, ensure_ascii=False, sort_keys=True) + "\n"
