"""Write the JSON Schemas that are published: of action types, and of StateExports; `--check` only compares.

registry/action_type.schema.json    what a file of an action type may say
docs/state_export.schema.json       what the commit of a turn publishes
"""

from __future__ import annotations

import sys

from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.registry.format import SCHEMA_FILE, schema_text
from prefrontal.graph.turns.export_record import schema_text as export_schema_text

TARGETS = {
    ROOT / "registry" / SCHEMA_FILE: schema_text,
    ROOT / "docs" / "state_export.schema.json": export_schema_text,
}


def main() -> int:
    """Write or compare the schemas."""
    outdated = [
        path for path, text in TARGETS.items() if not path.exists() or path.read_text("utf-8") != text()
    ]
    if "--check" in sys.argv[1:]:
        for path in outdated:
            sys.stderr.write(
                f"{path.name} is not what the code says; run: python scripts/export_registry.py\n"
            )
        return len(outdated) > 0
    for path in outdated:
        path.write_text(TARGETS[path](), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
