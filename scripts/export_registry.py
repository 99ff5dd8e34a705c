"""Write registry/action_type.schema.json, what a file of an action type may say; `--check` only compares."""

from __future__ import annotations

import sys

from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.registry.format import SCHEMA_FILE, schema_text

TARGET = ROOT / "registry" / SCHEMA_FILE


def main() -> int:
    """Write or compare the schema."""
    if "--check" in sys.argv[1:]:
        if TARGET.exists() and TARGET.read_text(encoding="utf-8") == schema_text():
            return 0
        sys.stderr.write(f"{TARGET.name} is not what the code says; run: python scripts/export_registry.py\n")
        return 1
    TARGET.write_text(schema_text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
