"""Write what clients can rely on: schema.graphql, and the table of error codes in docs/errors.md.

python scripts/export_schema.py           writes both
python scripts/export_schema.py --check   writes nothing; fails when one is not up to date
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from prefrontal.api.graphql.schema import build_schema  # noqa: E402 - the checkout is not always installed
from prefrontal.graph.config.settings import Settings  # noqa: E402
from prefrontal.graph.errors import PrefrontalError  # noqa: E402

SCHEMA = ROOT / "schema.graphql"
ERRORS = ROOT / "docs" / "errors.md"
BEGIN = "<!-- codes: written by scripts/export_schema.py -->"
END = "<!-- /codes -->"

TO_DO = {
    "internal": "A defect of ours. Its traceback is in the log under the answer's `X-Request-Id`; report it.",
    "invalid": "Correct the field that is named; the same request will be refused again.",
    "too_large": "Send less: a shorter text, a shorter list, a smaller body, or several requests.",
    "not_found": "Check the id, and that the token's agent may read it: both give this answer.",
    "unauthenticated": "Send `Authorization: Bearer …`; get a token with `prefrontal token`.",
    "forbidden": "Ask for a token with another role, or for access to the space.",
    "conflict": "Take a new idempotency key for a new request, or repeat the first one unchanged. Of a "
    "revert: see `problems`, and undo first what stands against it.",
    "version_conflict": "Read the node again, and decide again.",
    "duplicate": "It is there already: use it, or take another key.",
    "expired": "Add the observation again if it still holds.",
    "illegal_transition": "Read the status; the type's allowed statuses are in `actionTypes`.",
    "owner_violation": "Let the user do it, with a token that names a person and no agent.",
    "confirmation_required": "Let the user confirm it with `confirmPendingAction`, then try again.",
    "blocked": "Do or cancel the actions that are named first.",
    "unavailable": "Try again in a moment, with the same idempotency key so that it happens once.",
    "timeout": "Try again, or ask for less.",
    "catalog": "Correct the registry file at the line that is named.",
    "fixture": "Correct the fixture file at the line that is named.",
    "query_file": "Correct the Cypher file that is named.",
    "migration": "Run `prefrontal migrate`; the message says what is in the way.",
    "settings": "Correct the environment variable that is named.",
    "server": "Read the message; `prefrontal doctor` checks what Neo4j needs.",
    "prerequisite": "Run the command in the message.",
    "download": "Check the connection, or put the artefact where the message says.",
    "checksum": "Delete the artefact and download it again; if that is no help, do not use it.",
    "port_taken": "Stop the other process, or set another port.",
    "store_locked": "Stop the other process that uses the data folder.",
    "server_died": "Read the end of its log in the message.",
}


def error_tree(base: type[PrefrontalError] = PrefrontalError) -> list[type[PrefrontalError]]:
    """Return the error classes of this project, each before those below it."""
    below = [kind for kind in base.__subclasses__() if kind.__module__ == "prefrontal.graph.errors"]
    return [base, *(found for kind in below for found in error_tree(kind))]


def code_table() -> str:
    """Return the table of codes: each once, with the words of the class that has it first."""
    rows: dict[str, str] = {}
    for kind in error_tree():
        meaning = (kind.__doc__ or "").strip().splitlines()[0]
        if kind is PrefrontalError:
            meaning = "Something went wrong that nobody raised on purpose."
        rows.setdefault(kind.code, f"| `{kind.code}` | {meaning} | {TO_DO[kind.code]} |")
    return "\n".join(["| code | what it means | what to do |", "|---|---|---|", *rows.values()])


def schema_text() -> str:
    """Return the schema as clients read it."""
    return build_schema(Settings()).as_str() + "\n"


def errors_text(page: str) -> str:
    """Return the page with its table written anew; raise `ValueError` when it has no place for one."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{ERRORS.name} lacks the marks {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{code_table()}\n{END}{after}"


def main(arguments: list[str]) -> int:
    """Write both files, or compare them; return 1 when one is not up to date."""
    wanted = {SCHEMA: schema_text(), ERRORS: errors_text(ERRORS.read_text(encoding="utf-8"))}
    stale = [p for p, text in wanted.items() if not p.exists() or p.read_text(encoding="utf-8") != text]
    if "--check" in arguments:
        for path in stale:
            print(f"{path.name} is not up to date; run: python scripts/export_schema.py", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.write_text(wanted[path], encoding="utf-8")
        print(f"wrote {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
