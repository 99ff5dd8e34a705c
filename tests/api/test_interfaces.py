"""The functions of the source documents are fields of the schema, by the table in docs/architecture.md."""

from __future__ import annotations

import re

from prefrontal.graph.config.settings import ROOT
from tests.api.schema_inputs import SCHEMA

ROW = re.compile(r"^\| `([a-z_]+)` \| `(\w+)` \|$", re.MULTILINE)
FIELDS = dict(ROW.findall((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")))
SOURCE = {
    "get_active_goals",
    "list_pending_actions",
    "upsert_goal",
    "upsert_pending_actions",
    "update_progress",
    "get_questions",
    "upsert_question_story",
    "assess_at_turn_start",
    "commit_at_turn_end",
    "list_action_types",
    "register_action_type",
    "deprecate_action_type",
    "submit_registry_proposal",
    "list_registry_proposals",
    "review_registry_proposal",
    "export_proposal_as_pr",
}


def test_every_function_of_the_source_has_its_field() -> None:
    assert SCHEMA.query_type
    assert SCHEMA.mutation_type
    assert set(FIELDS) == SOURCE
    assert set(FIELDS.values()) <= {*SCHEMA.query_type.fields, *SCHEMA.mutation_type.fields}
