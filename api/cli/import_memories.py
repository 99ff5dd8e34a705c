"""The command that remembers what a user's own files say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from zoneinfo import ZoneInfo

import typer
from rich.markup import escape

from prefrontal.api.cli.console import bar, printable, program, result
from prefrontal.api.cli.refused import OnError, Refused, show_refused
from prefrontal.api.cli.session import run
from prefrontal.graph.errors import Duplicate, PrefrontalError
from prefrontal.graph.memory.enums import MemoryKind

if TYPE_CHECKING:
    from prefrontal.api.imports.entry import Entry
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.memory.record import MemoryDraft

_NAMED = re.compile(r"memories\[(\d+)\]\.?")


@dataclass
class _Import:
    """What became of the entries so far."""

    new: int = 0
    known: int = 0
    refused: list[Refused] = field(default_factory=list)

    def refuse(self, entry: Entry, problem: str) -> None:
        self.refused.append(Refused(entry.file, entry.line.number, problem))


def memories(
    path: Annotated[
        Path,
        typer.Argument(
            exists=True,
            readable=True,
            help="A file, or a folder with *.md and *.txt files; see docs/import.md.",
        ),
    ],
    org: Annotated[str, typer.Option(help="The organisation's key; the organisation is created if missing.")],
    agent: Annotated[str, typer.Option(help="The agent that remembers.")],
    person: Annotated[str | None, typer.Option(help="The person for whom the agent acts.")] = None,
    space: Annotated[
        str | None, typer.Option(help="Id of the space to write to; default: the agent's private space.")
    ] = None,
    kind: Annotated[
        MemoryKind, typer.Option(help="The kind of what names none; chats are messages.")
    ] = MemoryKind.FACT,
    zone: Annotated[
        str, typer.Option(help="The time zone of times that name none, e.g. Europe/Berlin.")
    ] = "UTC",
    on_error: Annotated[
        OnError,
        typer.Option(help="If lines are refused: import the others (skip), or no more from there on (stop)."),
    ] = OnError.SKIP,
    batch: Annotated[int, typer.Option(min=1, max=500, help="Memories per transaction.")] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Remember what a file or a folder says: facts from notes, messages from exported chats.

    Reads JSON Lines, plain text, Markdown, and chats exported from ChatGPT, Claude and WhatsApp. What was
    imported before is known and not stored again. Memories do not fade and found no goals. Exit status 1 if
    nothing was imported and nothing was known.
    """
    from prefrontal.api.imports.entry import Source
    from prefrontal.api.imports.files import read_files
    from prefrontal.graph.caller import Principal

    source = Source(name="", kind=kind, zone=_zone(zone))
    entries = list(read_files(path, source))
    stop = on_error is OnError.STOP

    async def work(services: Services) -> _Import:
        done = _Import()
        good = _sort(services, entries, done)
        if not good or (done.refused and stop):
            return done
        await services.access.ensure_organisation(org)
        caller = await services.access.caller(
            Principal(org=org, agent=agent, person=person, roles=("writer",))
        )
        with bar("Remembering") as progress:
            for start in range(0, len(good), batch):
                part = good[start : start + batch]
                await _remember(services, caller, part, space, done, stop=stop)
                if done.refused and stop:
                    break
                progress(start + len(part), len(good), part[-1][0].file)
        return done

    done = run(work, as_json=as_json)
    refused = sorted(done.refused)
    show_refused(refused)
    value = {"new": done.new, "known": done.known, "refused": [each._asdict() for each in refused]}
    text = f"{done.new} new, {done.known} known, {len(refused)} refused"
    if not entries:
        text += f": {printable(path.name)} has nothing to import"
    if refused and stop:
        text += ". Correct the lines, or import the others with --on-error skip"
    elif done.new:
        acting = f"--agent {escape(agent)}" + (f" --person {escape(person)}" if person else "")
        text += f"\nA token to read them: {program()} token --org {escape(org)} {acting}"
    result(value, text, as_json=as_json)
    if not (done.new or done.known) or (refused and stop):
        raise typer.Exit(1)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        raise typer.BadParameter(
            f"{name!r} is no time zone such as Europe/Berlin", param_hint="--zone"
        ) from None


def _sort(services: Services, entries: Sequence[Entry], done: _Import) -> list[tuple[Entry, MemoryDraft]]:
    """Return the entries that can be sent with their drafts; note the others."""
    from prefrontal.graph.validation import problems_text

    good: list[tuple[Entry, MemoryDraft]] = []
    for entry in entries:
        draft = entry.line.draft
        if draft is None:
            done.refuse(entry, entry.line.problem or "")
        elif found := services.memory.problems(draft):
            done.refuse(entry, problems_text(found))
        else:
            good.append((entry, draft))
    return good


async def _remember(
    services: Services,
    caller: Caller,
    part: Sequence[tuple[Entry, MemoryDraft]],
    space: str | None,
    done: _Import,
    *,
    stop: bool,
) -> None:
    """Store entries in one transaction, again without each that is refused; with `stop` all or none."""
    from prefrontal.graph.memory.record import Remember

    left = list(part)
    while left:
        command = Remember(memories=tuple(draft for _, draft in left), space=space)
        try:
            remembered = await services.memory.remember(caller, command)
        except PrefrontalError as error:
            named = [(problem, _NAMED.match(problem.field or "")) for problem in error.problems or (error,)]
            for problem, place in reversed(named):
                if place is None:
                    raise
                _note(left.pop(int(place[1])), problem, (problem.field or "")[place.end() :], done)
            if stop and done.refused:
                return
            continue
        done.new += len(remembered.created)
        done.known += len(left) - len(remembered.created)
        return


def _note(sent: tuple[Entry, MemoryDraft], problem: PrefrontalError, where: str, done: _Import) -> None:
    """Count an entry that the space does not take: as known if the space has its text, else as refused."""
    entry, draft = sent
    if isinstance(problem, Duplicate) and _derived(draft):
        # The space has the text, with other tags or in another spelling.
        done.known += 1
    else:
        done.refuse(entry, f"{where}: {problem.message}" if where else problem.message)


def _derived(draft: MemoryDraft) -> bool:
    from prefrontal.api.imports.entry import DERIVED

    return (draft.client_key or "").startswith(DERIVED)
