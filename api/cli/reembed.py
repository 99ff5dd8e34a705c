"""The command that makes the vectors of another encoder for all that is searched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from prefrontal.api.cli.console import bar, result
from prefrontal.api.cli.session import run
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.embedding.service import ReembedResult


def reembed(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Make all vectors anew with the encoder that is set, and let searches use them.

    They are those of memories, goals, questions and stories. A running service goes on meanwhile. Stopped
    half-way, the command goes on where it was.
    """

    async def work(services: Services) -> ReembedResult:
        with bar("Embedding") as shown:
            return await services.embedding.reembed(lambda step, seen, total: shown(seen, total, step))

    done = run(work, as_json=as_json)
    left = f" {counted(done.unembedded, 'text')} still without one." if done.unembedded else ""
    result(
        done._asdict(),
        f"Searches use the vectors of {done.encoder}: {done.written} written.{left}",
        as_json=as_json,
    )
