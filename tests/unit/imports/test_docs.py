"""The examples of docs/import.md are read as it says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from prefrontal.api.imports.entry import MemoryLine, Source
from prefrontal.api.imports.files import read_bytes
from prefrontal.graph.config.settings import ROOT

EXAMPLES = re.findall(
    r"^```\w+ (.+)\n((?:.*\n)*?)```\n\n```text\n((?:.*\n)*?)```\n",
    (ROOT / "docs" / "import.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)


def line_text(line: MemoryLine) -> str:
    draft = line.draft
    assert draft is not None, line.problem
    parts = [f"{line.number}: {draft.kind} {json.dumps(draft.content)}"]
    if draft.tags:
        parts.append("tags " + " and ".join(draft.tags))
    if draft.speaker is not None:
        parts.append(f"{draft.speaker} in {draft.conversation}")
    if draft.happened_at is not None:
        parts.append(f"at {draft.happened_at.isoformat()}")
    return ", ".join(parts)


def test_every_shape_has_an_example():
    assert len(EXAMPLES) == 7


@pytest.mark.parametrize(("name", "text", "expected"), EXAMPLES)
def test_the_examples_are_read_as_the_page_says(name, text, expected):
    lines = read_bytes(text.encode(), Path(name).suffix, Source(Path(name).stem))
    assert [line_text(line) for line in lines] == expected.splitlines()
