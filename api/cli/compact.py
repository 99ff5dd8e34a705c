"""The command that summarises goals and compacts action logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from prefrontal.api.cli.console import bar, result
from prefrontal.api.cli.session import run
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.summaries.record import CompactionResult


def compact(
    org: Annotated[str, typer.Option(help="The organisation's key.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only report what would be done.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Summarise goals, and replace the logs of actions that ended long ago. Safe to run repeatedly."""

    async def work(services: Services) -> CompactionResult:
        with bar("Summarising") as shown:
            # The total is unknown until the last page has been read, so the bar shows items seen.
            return await services.summaries.compact(
                org, dry_run=dry_run, progress=lambda what, seen: shown(seen, seen, what)
            )

    done = run(work, as_json=as_json)
    would = "Would be written" if dry_run else "Written"
    result(
        {**done.model_dump(), "dry_run": dry_run},
        f"{would}: {counted(done.summaries, 'summary')} of goals, {counted(done.narratives, 'narrative')}, "
        f"and summaries of {counted(done.actions, 'finished action')} in place of "
        f"{counted(done.entries, 'log entry')}.",
        as_json=as_json,
    )
