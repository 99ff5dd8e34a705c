"""Commands that import a user's own data."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from prefrontal.api.cli.console import bar, err, program, result
from prefrontal.api.cli.session import run
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.caller import Principal
from prefrontal.graph.errors import Duplicate
from prefrontal.graph.scratch.json_lines import Line, read_lines
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.wording import counted

app = typer.Typer(help="Import your own data.", no_args_is_help=True)
_SHOWN = 20


class OnError(StrEnum):
    """What to do with a file that has broken lines."""

    STOP = "stop"
    SKIP = "skip"


@app.command()
def observations(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, readable=True, help="JSON Lines.")],
    org: Annotated[str, typer.Option(help="The organisation's key; the organisation is created if missing.")],
    agent: Annotated[str, typer.Option(help="The agent that owns the observations.")],
    space: Annotated[
        str | None, typer.Option(help="Id of the space to add them to; default: the agent's private space.")
    ] = None,
    on_error: Annotated[
        OnError, typer.Option(help="If lines are broken: import nothing (stop) or the valid lines (skip).")
    ] = OnError.STOP,
    batch: Annotated[int, typer.Option(min=1, max=1000, help="Lines per transaction.")] = 500,
    evaluate: Annotated[
        bool | None,
        typer.Option(help="Evaluate whether observations are evidence of goals; default: the setting."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Add the observations of a JSON Lines file.

    A line is an object such as {"content": "User likes tea", "confidence": 0.9, "tags": ["tea"]}, or just a
    string. Importing the same file again within seven days adds nothing. Exit status 1 if nothing was
    imported because of broken lines.
    """
    raw = file.read_bytes()
    digest = hashlib.sha256(raw).hexdigest()[:32]
    lines = list(read_lines(raw.decode("utf-8-sig", errors="replace").splitlines()))

    async def work(services: Services) -> tuple[int, list[Line]]:
        good, broken = sort_lines(services, lines)
        if broken and on_error is OnError.STOP:
            return 0, broken
        with contextlib.suppress(Duplicate):
            await services.access.create_organisation(org)
        caller = await services.access.caller(Principal(org=org, agent=agent, roles=("writer",)))
        with bar("Adding observations") as progress:
            for start in range(0, len(good), batch):
                part = good[start : start + batch]
                # The key makes each batch idempotent: an import that crashed half-way can be repeated.
                key = f"import:{digest}:{batch}:{on_error}:{start}"
                await services.evaluation.add(
                    caller, part, space=space, idempotency_key=key, evaluate=evaluate
                )
                progress(start + len(part), len(good), file.name)
        return len(good), broken

    taken, broken = run(work, as_json=as_json)
    _show(file.name, broken)
    value = {"imported": taken, "broken": [{"line": b.number, "problem": b.problem} for b in broken]}
    if broken and on_error is OnError.STOP:
        text = "Nothing was imported. Correct the lines, or import the valid ones with --on-error skip"
        result(value, text, as_json=as_json)
        raise typer.Exit(1)
    result(
        value,
        f"Imported {counted(taken, 'observation')} of {escape(file.name)}.\n"
        f"A token to read them: {program()} token --org {escape(org)} --agent {escape(agent)}",
        as_json=as_json,
    )


def sort_lines(services: Services, lines: Sequence[Line]) -> tuple[list[ObservationDraft], list[Line]]:
    """Return the drafts of the valid lines, and the broken lines with their problems."""
    good: list[ObservationDraft] = []
    broken: list[Line] = []
    for line in lines:
        problem = _problem(services, line)
        if problem is not None:
            broken.append(Line(line.number, None, problem))
        elif line.draft is not None:
            good.append(line.draft)
    return good, broken


def _show(name: str, broken: Sequence[Line]) -> None:
    for line in broken[:_SHOWN]:
        err.print(f"[red]{escape(name)}:{line.number}[/] {escape(line.problem or '')}")
    if len(broken) > _SHOWN:
        err.print(f"… and {len(broken) - _SHOWN} more broken lines")


def _problem(services: Services, line: Line) -> str | None:
    if line.draft is None:
        return line.problem
    found = services.scratch.service.problems(line.draft)
    return "; ".join(f"{p.field}: {p.message}" for p in found) if found else None
