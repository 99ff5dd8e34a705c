"""Commands that show the outbox and send dead letters again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from prefrontal.api.cli.console import bar, fail, out, printable, program, result
from prefrontal.api.cli.session import run
from prefrontal.graph.clock import iso
from prefrontal.graph.errors import PrefrontalError, SettingsError
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.outbox.record import DeadLetter, OutboxStatus, ReplayResult

Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]

app = typer.Typer(help="The outbox: events on their way to whoever wants them.", no_args_is_help=True)


@app.command()
def status(as_json: Json = False) -> None:
    """Show what waits for the relay and for the broker, who works, and how far each consumer is."""
    from prefrontal.graph.config.settings import load_settings

    async def work(services: Services) -> tuple[OutboxStatus, float, float]:
        found, now = await services.outbox.overview.status(), services.clock.now()
        since = found.backlog.since, found.unpublished.since
        relay, broker = (0.0 if each is None else max(0.0, (now - each).total_seconds()) for each in since)
        return found, relay, broker

    found, relay, broker = run(work, as_json=as_json)
    consumers = [each.model_dump(mode="json") | {"lag": each.lag} for each in found.consumers]
    shown = found.model_dump(mode="json") | {"consumers": consumers}
    shown["backlog"]["lag_seconds"], shown["unpublished"]["lag_seconds"] = relay, broker
    if as_json:
        result(shown, "", as_json=True)
        return
    out.print(f"relay   {_waits(found.backlog.waiting, relay)}")
    if load_settings().nats_url is None and not any(each.actor is None for each in found.consumers):
        out.print("broker  none; PREFRONTAL_NATS_URL names one")
    else:
        out.print(f"broker  {_waits(found.unpublished.waiting, broker)}")
    for lease in found.leases:
        # A lease is held during a run alone: a service that works holds none most of the time.
        worked = f"last worked {iso(lease.worked_at)}" if lease.worked_at else "has not worked yet"
        state = f"{lease.holder} works until {iso(lease.until)}" if lease.holder else f"idle, {worked}"
        out.print(f"{lease.job}: {state}; fence {lease.fence}")
    if found.consumers:
        table = Table("organisation", "actor", "consumer", "acknowledged", "of", "lag", "refuses")
        for each in found.consumers:
            refuses = f"{each.failing} ({each.attempts})" if each.failing else ""
            cells = each.org_key, each.actor or "(broker)", each.key, each.place, each.last, each.lag, refuses
            table.add_row(*(printable(str(cell)) for cell in cells))
        out.print(table)
    out.print(counted(found.unpublished.dead, "dead letter") + ".")
    if found.unpublished.dead:
        out.print(f"See them: {program()} outbox dead")


@app.command()
def dead(as_json: Json = False) -> None:
    """List the events that the broker refused for good, and why."""

    async def work(services: Services) -> list[DeadLetter]:
        return [letter async for letter in services.outbox.overview.dead_letters()]

    letters = run(work, as_json=as_json)
    if as_json:
        result({"dead": [_letter_row(letter) for letter in letters]}, "", as_json=True)
        return
    for letter in letters:
        shown = {name: printable(str(value)) for name, value in _letter_row(letter).items()}
        out.print("[bold]{id}[/] {organisation} {seq} {type} {subject}".format(**shown))
        out.print(f"  refused {counted(letter.attempts, 'time')}, last {shown['at']}: {shown['reason']}")
    out.print(counted(len(letters), "dead letter") + ".")
    if letters:
        out.print(f"Send them again: {program()} outbox replay ID, or --all")


@app.command()
def replay(
    uid: Annotated[str | None, typer.Argument(metavar="ID", help="The id of one event.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All dead letters, oldest first.")] = False,
    as_json: Json = False,
) -> None:
    """Send dead letters to the broker again. They arrive later than younger events of their records."""
    from prefrontal.graph.config.settings import load_settings

    if (uid is None) is not every:
        raise typer.BadParameter("name one event, or --all")
    try:
        if load_settings().nats_url is None:
            raise SettingsError("there is no broker to send to: set PREFRONTAL_NATS_URL")
    except PrefrontalError as error:
        fail(error, as_json=as_json)

    async def work(services: Services) -> ReplayResult:
        publisher = services.outbox.publisher
        assert publisher is not None  # noqa: S101 - there is a broker in the settings
        try:
            with bar("Sending") as shown:
                return await publisher.replay(uid, lambda done, total: shown(done, total, ""))
        finally:
            await publisher.close()

    done = run(work, as_json=as_json)
    again = (
        f" {counted(done.refused, 'event')} refused again: {program()} outbox dead" if done.refused else ""
    )
    result(done.model_dump(), f"{counted(done.sent, 'event')} sent.{again}", as_json=as_json)
    if done.refused:
        raise typer.Exit(1)


def _waits(number: int, seconds: float) -> str:
    if not number:
        return "nothing waits"
    return f"{counted(number, 'event')} waiting, the oldest for {seconds:.0f} s"


def _letter_row(letter: DeadLetter) -> dict[str, Any]:
    return {
        "id": letter.event.uid,
        "organisation": letter.org_key,
        "seq": letter.event.seq,
        "type": letter.event.type.value,
        "subject": letter.event.subject,
        "attempts": letter.attempts,
        "at": iso(letter.at),
        "reason": letter.reason,
    }
