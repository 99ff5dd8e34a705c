"""Output of the command line: progress and errors on standard error, results on standard output."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape

from prefrontal.graph.errors import PrefrontalError

NAME = "prefrontal"

out = Console(soft_wrap=True, highlight=False)
err = Console(stderr=True, soft_wrap=True, highlight=False)


def program() -> str:
    """Return the name or path this program was called by, so that printed commands can be pasted."""
    called = Path(sys.argv[0])
    if called.name != NAME:
        return NAME
    found = shutil.which(NAME)
    if found is not None and Path(found).samefile(called):
        return NAME
    return os.path.relpath(called) if called.is_relative_to(Path.cwd()) else str(called)


def say(text: str) -> None:
    """Print a message on standard error, where it does not mix with a command's result."""
    err.print(text)


def shown_secret(secret: str | None, console: Console = err) -> str:
    """Return a secret if a person reads the console; a log or a pipe gets a note in its place."""
    return (secret or "") if console.is_terminal else "(shown on a terminal only)"


def result(value: dict[str, Any], text: str, *, as_json: bool) -> None:
    """Print the result of a command, as JSON for scripts or as text."""
    if as_json:
        typer.echo(json.dumps(value, default=str))
    else:
        out.print(text)


def printable(text: str) -> str:
    """Return foreign text that can be printed: without markup, and with what is no visible sign escaped."""
    return escape("".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text))


def fail(error: PrefrontalError, *, as_json: bool = False) -> NoReturn:
    """Print an error and end the command with status 1."""
    if as_json:
        typer.echo(json.dumps({"error": {"code": error.code, "message": error.message}}))
    else:
        err.print(f"[red bold]error[/] {escape(error.message)}")
    raise typer.Exit(1)


@contextmanager
def bar(what: str) -> Iterator[Callable[[int, int, str], None]]:
    """Provide a function `(done, total, detail)` that draws a progress bar; the first call shows it."""
    if not err.is_terminal:
        yield _line_once(what)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("[dim]{task.fields[detail]}"),
    )
    with Progress(*columns, console=err, transient=True) as progress:
        task = progress.add_task(what, total=None, detail="", visible=False)

        def update(done: int, total: int, detail: str = "") -> None:
            progress.update(task, completed=done, total=total, detail=escape(detail), visible=True)

        yield update


def _line_once(what: str) -> Callable[[int, int, str], None]:
    """Return the replacement of a bar without a terminal: its first call prints one line."""
    printed = False

    def update(_done: int, _total: int, _detail: str = "") -> None:
        nonlocal printed
        if not printed:
            err.print(f"{what} …")
            printed = True

    return update


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show that something takes a moment: a spinner on a terminal, a line elsewhere."""
    if err.is_terminal:
        with err.status(what):
            yield
    else:
        err.print(what)
        yield
