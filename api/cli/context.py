"""The command that shows the context that an agent would get for a prompt."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Annotated

import typer

from prefrontal.api.cli.console import bar, err, out, printable
from prefrontal.api.cli.session import run
from prefrontal.graph.context.enums import ContextFormat
from prefrontal.graph.errors import EncoderUnavailable
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.context.record import Context, Item

_SHOWN_CHARACTERS = 60
"""How many characters of an item's line are shown beside its numbers."""


def context(
    prompt: Annotated[str, typer.Argument(help="What the agent is asked, or is about to do.")],
    org: Annotated[str, typer.Option(help="The organisation's key.")],
    agent: Annotated[str, typer.Option(help="The agent that would get the context.")],
    person: Annotated[str | None, typer.Option(help="The person for whom the agent acts.")] = None,
    budget: Annotated[int, typer.Option(min=0, help="Tokens.")] = 1000,
    form: Annotated[
        ContextFormat, typer.Option("--format", help="How the text is written.")
    ] = ContextFormat.MARKDOWN,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Show the context for a prompt: its text, why each item is in it, and what was left out.

    The text goes to standard output, so that it can be piped, and what is said about it to standard error. No
    turn and no receipt are written.
    """
    from prefrontal.graph.caller import Principal
    from prefrontal.graph.context.record import Request

    async def work(services: Services) -> Context:
        caller = await services.access.caller(
            Principal(org=org, agent=agent, person=person, roles=("reader",))
        )
        if services.encoder is not None:
            # Without the model memories are found by their words, and the result says so.
            with bar("Loading the sentence encoder") as shown, contextlib.suppress(EncoderUnavailable):
                await services.encoder.load(shown)
        return await services.context.preview(caller, Request(prompt=prompt, budget=budget, format=form))

    found = run(work, as_json=as_json)
    if as_json:
        typer.echo(found.model_dump_json(exclude={"receipt", "turn_id"}))
        return
    for line in found.selection.text.splitlines():
        out.print(printable(line))
    _explain(found)


def _explain(found: Context) -> None:
    from prefrontal.graph.context.record import Source

    selection = found.selection
    if selection.items:
        err.print("kind           tokens  score why        line")
    for item in selection.items:
        err.print(_row(item))
    counts = [f"{number} {reason}" for reason, number in sorted(_left_out(found).items())]
    said = f"Left out: {', '.join(counts)}." if counts else "Nothing was left out."
    err.print(f"{counted(selection.used, 'token')} of {found.budget}. {said}")
    if selection.missing_mandates:
        err.print(f"Essential mandates without room: {', '.join(selection.missing_mandates)}")
    late = [source.value for source in found.late if source is not Source.MEANING]
    if late:
        err.print(f"Not ready in time: {', '.join(late)}")
    if Source.MEANING in found.late:
        err.print(
            "Memories were found by words alone: the vector of the prompt was late, "
            "or the stored vectors are of another encoder (prefrontal doctor tells)."
        )


def _left_out(found: Context) -> dict[str, int]:
    counts: dict[str, int] = {}
    for item in found.selection.excluded:
        reason = item.reason.value.replace("_", " ")
        counts[reason] = counts.get(reason, 0) + 1
    if found.selection.over_limit:
        counts["over limit"] = found.selection.over_limit
    return counts


def _row(item: Item) -> str:
    """Return what is said about an item, in columns."""
    line = printable(item.text.strip().removeprefix("- ").removeprefix(f"{item.uid} "))
    said = line if len(line) <= _SHOWN_CHARACTERS else f"{line[: _SHOWN_CHARACTERS - 1]}…"
    kind, through = item.kind.value.replace("_", " "), f"  through {item.via}" if item.via else ""
    return f"{kind:<14} {item.tokens:>6}  {item.score:.2f}  {item.reason.value:<9}  {said}{through}"
