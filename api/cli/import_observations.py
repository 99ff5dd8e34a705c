"""The command that adds a user's own notes to the scratch page."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from prefrontal.api.cli.console import bar, printable, program, result
from prefrontal.api.cli.refused import OnError, Refused, show_refused
from prefrontal.api.cli.session import run
from prefrontal.graph.clock import iso
from prefrontal.graph.errors import Conflict, Forgotten
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.scratch.json_lines import Line
    from prefrontal.graph.scratch.record import Observation, ObservationDraft

    ObservationLine = Line[ObservationDraft]
    Numbered = tuple[int, ObservationDraft]
    """A draft with the number of its line."""

_NAMED = re.compile(r"observations\[(\d+)\]\.")


def observations(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, readable=True, help="JSON Lines.")],
    org: Annotated[str, typer.Option(help="The organisation's key; the organisation is created if missing.")],
    agent: Annotated[str, typer.Option(help="The agent that owns the observations.")],
    space: Annotated[
        str | None, typer.Option(help="Id of the space to add them to; default: the agent's private space.")
    ] = None,
    ttl: Annotated[
        str | None,
        typer.Option(
            help="How long lines without a ttlMinutes stay, e.g. 7d or 2h; default: the registry's."
        ),
    ] = None,
    on_error: Annotated[
        OnError,
        typer.Option(
            help="If lines are broken: import nothing (stop) or the valid lines (skip). If a text was "
            "forgotten: no more from there on (stop) or the others (skip)."
        ),
    ] = OnError.STOP,
    batch: Annotated[int, typer.Option(min=1, max=1000, help="Lines per transaction.")] = 500,
    evaluate: Annotated[
        bool | None,
        typer.Option(help="Evaluate whether observations are evidence of goals; default: the setting."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Add the observations of a JSON Lines file to the scratch page, where they fade; says when.

    A line is an object such as {"content": "User likes tea", "confidence": 0.9, "tags": ["tea"]}, or just a
    string. Importing the same file again within seven days adds nothing. Exit status 1 if nothing was
    imported because of broken lines.
    """
    from prefrontal.graph.caller import Principal
    from prefrontal.graph.scratch.json_lines import lines_of, read_lines

    raw = file.read_bytes()
    digest = hashlib.sha256(raw).hexdigest()[:32]
    minutes = _minutes(ttl)
    lines = list(read_lines(lines_of(raw.decode("utf-8-sig", errors="replace"))))
    stop = on_error is OnError.STOP

    async def work(services: Services) -> tuple[list[Observation], list[Refused]]:
        good, broken = sort_lines(services, lines, file.name, minutes)
        if broken and stop:
            return [], broken
        await services.access.ensure_organisation(org)
        caller = await services.access.caller(Principal(org=org, agent=agent, roles=("writer",)))
        added: list[Observation] = []
        with bar("Adding observations") as progress:
            for start in range(0, len(good), batch):
                part = good[start : start + batch]
                # The key makes each batch idempotent: an import that crashed half-way can be repeated.
                key = f"import:{digest}:{batch}:{on_error}:{start}"
                try:
                    done, forgotten = await _add(
                        services, caller, part, space=space, key=key, evaluate=evaluate, stop=stop
                    )
                except Conflict as error:
                    raise Conflict(
                        "this file was imported within the last seven days with another --ttl or --space"
                    ) from error
                added += done
                broken.extend(Refused(file.name, number, problem) for number, problem in forgotten)
                if forgotten and stop:
                    break
                progress(start + len(part), len(good), file.name)
        return added, broken

    added, broken = run(work, as_json=as_json)
    show_refused(broken)
    fading = sorted(each.expiry for each in added if each.expiry is not None)
    value = {
        "imported": len(added),
        "broken": [{"line": each.line, "problem": each.problem} for each in broken],
        "fades": {"first": iso(fading[0]), "last": iso(fading[-1])} if fading else None,
    }
    if broken and stop:
        text = (
            f"Imported {counted(len(added), 'observation')}, and no more" if added else "Nothing was imported"
        )
        text += ". Correct the lines, or import the valid ones with --on-error skip"
        result(value, text, as_json=as_json)
        raise typer.Exit(1)
    result(
        value,
        f"Imported {counted(len(added), 'observation')} of {printable(file.name)}.{_fading(fading)}\n"
        f"A token to read them: {program()} token --org {escape(org)} --agent {escape(agent)}",
        as_json=as_json,
    )


async def _add(
    services: Services,
    caller: Caller,
    part: Sequence[Numbered],
    *,
    space: str | None,
    key: str,
    evaluate: bool | None,
    stop: bool,
) -> tuple[list[Observation], list[tuple[int, str]]]:
    """Add lines in one transaction, without those whose text was forgotten; with `stop` all or none.

    Returns:
        The observations, and the forgotten lines with the problem of each.
    """
    left, refused = list(part), list[tuple[int, str]]()
    while left:
        try:
            done = await services.evaluation.add(
                caller, [draft for _, draft in left], space=space, idempotency_key=key, evaluate=evaluate
            )
        except Forgotten as error:
            # The highest place first, so that the others stay what they are.
            for problem in reversed(error.problems or (error,)):
                place = _NAMED.match(problem.field or "")
                if place is None:
                    raise
                refused.append((left.pop(int(place[1]))[0], f"content: {problem.message}"))
            if stop:
                break
            # A part of the batch is another request.
            key = f"{key}:without:{hashlib.sha256(str(sorted(refused)).encode()).hexdigest()[:16]}"
            continue
        return [each.observation for each in done], sorted(refused)
    return [], sorted(refused)


def _minutes(ttl: str | None) -> float | None:
    from prefrontal.api.fixtures.times import parse_length

    try:
        return parse_length(ttl).total_seconds() / 60 if ttl is not None else None
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--ttl") from None


def _fading(times: Sequence[datetime]) -> str:
    if not times:
        return ""
    first, last = (f"{time.astimezone(UTC):%Y-%m-%d %H:%M}" for time in (times[0], times[-1]))
    when = f"at {first} UTC" if first == last else f"from {first} to {last} UTC"
    return f" They fade {when}, unless a goal uses them."


def sort_lines(
    services: Services, lines: Sequence[ObservationLine], file: str, minutes: float | None
) -> tuple[list[Numbered], list[Refused]]:
    """Return the drafts of the valid lines with their numbers, and the broken lines with their problems.

    A draft without a time to live gets `minutes`.
    """
    from prefrontal.graph.validation import problems_text

    good: list[Numbered] = []
    broken: list[Refused] = []
    for line in lines:
        draft = line.draft
        if draft is None:
            broken.append(Refused(file, line.number, line.problem or ""))
            continue
        if draft.ttl_minutes is None and minutes is not None:
            draft = draft.model_copy(update={"ttl_minutes": minutes})
        if found := services.scratch.service.problems(draft):
            broken.append(Refused(file, line.number, problems_text(found)))
        else:
            good.append((line.number, draft))
    return good, broken
