"""Writes the table of settings, docs/settings.md, from the code; `--check` only compares."""

from __future__ import annotations

import sys
from pathlib import Path

from pydantic import SecretStr
from pydantic_core import PydanticUndefined

from prefrontal.graph.config.settings import ROOT, Settings

TARGET = ROOT / "docs" / "settings.md"
HEAD = """# Settings

Environment variables. A wrong one stops the start and is named. This table is written by
`python scripts/export_settings.py`.

| variable | default | what |
|---|---|---|
"""


def table() -> str:
    """Return the document."""
    rows = []
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        variable = alias.choices[0] if alias is not None else f"PREFRONTAL_{name.upper()}"
        rows.append(f"| `{variable}` | {shown(field.default)} | {field.description} |")
    return HEAD + "\n".join(rows) + "\n"


def shown(default: object) -> str:
    """Return a default as people read it; paths inside the checkout are relative."""
    if default in (None, "") or isinstance(default, SecretStr):
        return "–"
    if default is PydanticUndefined:
        return "the user's cache folder"
    if isinstance(default, Path) and default.is_absolute():
        return f"`{default.relative_to(ROOT)}`"
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return f"`{default}`"


def main() -> int:
    """Write or compare the document."""
    if "--check" in sys.argv[1:]:
        if TARGET.read_text(encoding="utf-8") == table():
            return 0
        sys.stderr.write(
            "docs/settings.md is not what the code says; run: python scripts/export_settings.py\n"
        )
        return 1
    TARGET.write_text(table(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
