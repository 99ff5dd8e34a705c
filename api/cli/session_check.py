"""The part of `doctor` that checks and repairs stored sessions of working memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.markup import escape
from rich.table import Table

from prefrontal.api.cli.console import out, result
from prefrontal.api.cli.session import run
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.sessions.integrity_record import Finding, IntegrityReport


def check_sessions(*, repair: bool, as_json: bool) -> None:
    """Check the sessions of all organisations, repair them if asked, and print what was found.

    Raises:
        typer.Exit: With status 1 if something is wrong after it.
    """

    async def work(services: Services) -> IntegrityReport:
        return await (services.session_repair.repair() if repair else services.session_repair.check())

    report = run(work, as_json=as_json)
    if as_json:
        result({"sound": report.is_sound, **report.model_dump(mode="json")}, "", as_json=True)
    else:
        _print(report)
    if not report.is_sound:
        raise typer.Exit(1)


def _print(report: IntegrityReport) -> None:
    if report.findings:
        table = Table("fault", "session or text", "item", "values", "done")
        for finding in report.findings:
            table.add_row(*(escape(cell) for cell in _cells(finding)))
        out.print(table)
    out.print(f"{counted(report.sessions, 'session')}, {counted(len(report.findings), 'fault')}.")
    if any(each.done is None and each.why_not is None for each in report.findings):
        out.print("Repair them: prefrontal doctor --sessions --repair")


def _cells(finding: Finding) -> tuple[str, ...]:
    return (
        finding.fault.value,
        finding.where,
        finding.item_id or "",
        ", ".join(finding.fields),
        finding.done or finding.why_not or "",
    )
