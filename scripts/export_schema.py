"""Writes the GraphQL schema, schema.graphql, and the table of error codes in docs/errors.md.

python scripts/export_schema.py           writes both files
python scripts/export_schema.py --check   writes nothing; exits with 1 when a file is out of date
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
WIDTH = 110
"""The most characters of a line that names interfaces."""

TO_DO = {
    "internal": "Report it as a bug. The log has its traceback under the `X-Request-Id` of the response.",
    "invalid": "Correct the value at `field`; the same request will be refused again.",
    "too_large": "Send less: a shorter text, a shorter list, a smaller body, or several requests.",
    "not_found": "Check the id, and that the actors of the token may read it.",
    "unauthenticated": "Send `Authorization: Bearer …`; get a token with `prefrontal token`.",
    "forbidden": "Ask for a token with the role that is needed, or for a grant on the space.",
    "conflict": "Use a new idempotency key for a new request, or repeat the first request unchanged. After a "
    "`revert`: read `problems`, and resolve each of them first.",
    "version_conflict": "Read the node again, and repeat the change with its present version.",
    "duplicate": "Use the existing record, or another key.",
    "forgotten": "Leave the text out, or store it in another space.",
    "expired": "Add the observation again if it is still true.",
    "illegal_transition": "Read the present status; `actionTypes` has the allowed transitions of each "
    "action type.",
    "owner_violation": "Leave it to the user: it needs a token with a person and without an agent.",
    "confirmation_required": "Let a user confirm it with `confirmPendingAction`, then try again.",
    "blocked": "First complete or cancel the actions that the message names, or let a user do it, or move "
    "the goal on.",
    "capacity": "Unpin an item, or start a session with a larger `maxCapacity`.",
    "budget_too_small": "Send a budget that is as large as the message says, or leave `strict` out.",
    "rate_limited": "Wait as many seconds as `retryAfter` and the header `Retry-After` say, then send the "
    "same request again.",
    "quota_exceeded": "Ask the operator for a larger quota; what has been archived is deleted after its "
    "retention.",
    "unavailable": "Try again in a moment, with the same idempotency key, so that the change happens once.",
    "answer_lost": "Repeat the call with its idempotency key to get the result; without a key, look before "
    "you send it again.",
    "timeout": "Try again, or request less.",
    "catalog": "Correct the registry file at the line in the message.",
    "fixture": "Correct the fixture file at the line in the message.",
    "query_file": "Correct the Cypher file that the message names.",
    "migration": "Remove the cause that the message names, then run `prefrontal migrate`.",
    "settings": "Correct the environment variable that the message names.",
    "server": "Read the message; `prefrontal doctor` checks the prerequisites of Neo4j.",
    "prerequisite": "Run the command in the message.",
    "encoder": "Connect to a network, or set `PREFRONTAL_ENCODER`; it is tried again by itself.",
    "download": "Check the network connection, or put the artefact where the message says.",
    "checksum": "Delete the artefact and download it again; if its sum is still wrong, do not use it.",
    "port_taken": "Stop the other process, or configure another port.",
    "store_locked": "Stop the other process that uses the data folder.",
    "server_died": "Correct what the log in the message names, and start again.",
}


def error_tree(base: type[PrefrontalError] = PrefrontalError) -> list[type[PrefrontalError]]:
    """Return the error classes of the project, each before its subclasses."""
    below = [kind for kind in base.__subclasses__() if kind.__module__ == "prefrontal.graph.errors"]
    return [base, *(found for kind in below for found in error_tree(kind))]


def code_table() -> str:
    """Return the Markdown table of codes: each code once, described by the topmost class that has it."""
    rows: dict[str, str] = {}
    for kind in error_tree():
        meaning = (kind.__doc__ or "").strip().splitlines()[0]
        if kind is PrefrontalError:
            meaning = "An unexpected error; the details are in the log only."
        rows.setdefault(kind.code, f"| `{kind.code}` | {meaning} | {TO_DO[kind.code]} |")
    return "\n".join(["| code | what it means | what to do |", "|---|---|---|", *rows.values()])


def schema_text() -> str:
    """Return the GraphQL schema in the schema definition language."""
    return "".join(f"{_wrapped(line)}\n" for line in build_schema(Settings()).as_str().splitlines())


def _wrapped(line: str) -> str:
    """Return a line of the schema, with each interface on a line of its own if there are many."""
    kind, implements, interfaces = line.partition(" implements ")
    if not implements or len(line) <= WIDTH:
        return line
    names = interfaces.removesuffix(" {").split(" & ")
    return "\n".join([f"{kind} implements", *(f"  & {name}" for name in names), "{"])


def errors_text(page: str) -> str:
    """Return docs/errors.md with a new table.

    Raises:
        ValueError: If the page lacks the comments that enclose the table.
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{ERRORS.name} lacks the marks {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{code_table()}\n{END}{after}"


def main(arguments: list[str]) -> int:
    """Write both files, or compare them with `--check`; return the exit code."""
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
