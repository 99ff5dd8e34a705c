"""A turn as lines of at most 80 columns, from the answer of `trace.graphql`. Pure.

Each entry of the trace has one word for what it is: `saw`, `called`, `decided`, `wrote`, `published`,
`failed` for a call, a delta or a store, `retried` for a store that got its part later, or `escalated`.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from prefrontal.api.cli.console import printable
from prefrontal.graph.journal.record import TraceKind
from prefrontal.graph.wording import counted

_WIDTH = 80
_WORD = 9
_BESIDE = 24
"""The columns before the text of an entry: its time, and its word."""

_SAW = {TraceKind.TURN_STARTED, TraceKind.CONTEXT_ASSEMBLED}
_DECIDED = {
    TraceKind.TURN_EVALUATED,
    TraceKind.STATE_SELECTED,
    TraceKind.OBSERVATION_PROMOTED,
    TraceKind.OBSERVATION_KEPT,
    TraceKind.OBSERVATIONS_CONFLICT,
    TraceKind.CONFLICT_SETTLED,
    TraceKind.PROGRESS_CLAMPED,
    TraceKind.ACTION_TYPE_COERCED,
    TraceKind.ACTION_TYPE_REPLACED,
    TraceKind.WORKING_MEMORY_REJECTED,
}
_FAILED = {
    TraceKind.TOOL_FAILED,
    TraceKind.DELTA_REFUSED,
    TraceKind.STORE_FAILED,
    TraceKind.LESSON_EXTRACTION_FAILED,
    TraceKind.OUTCOME_FAILED,
    TraceKind.ACTION_FAILED,
}
_COLOURS = {"failed": "red", "escalated": "red bold", "retried": "yellow", "published": "green"}
_CALLS = {TraceKind.TOOL_INVOKED, TraceKind.TOOL_FAILED}
_OMITTED_DETAILS = {"at", "count", "phases", "receipt_id", "statuses", "store"}
"""The details that the message says, or that are said elsewhere."""
_PAIRS = (("before", "after"), ("from", "to"))


def word_of(entry: Mapping[str, Any]) -> str:
    """Return the word for what an entry of the trace is."""
    kind = TraceKind(entry["kind"].lower())
    if kind is TraceKind.STORE_COMMITTED and "attempts" in entry["details"]:
        return "retried"
    for word, kinds in (
        ("saw", _SAW),
        ("failed", _FAILED),
        ("called", {TraceKind.TOOL_INVOKED}),
        ("decided", _DECIDED),
        ("published", {TraceKind.STATE_PUBLISHED}),
        ("escalated", {TraceKind.COMMIT_ESCALATED}),
    ):
        if kind in kinds:
            return word
    return "wrote"


def lines_of(turn: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines about a turn, with the markup of the console."""
    entries = turn["trace"]["nodes"]
    yield from _head(turn)
    yield from _phases(entries)
    yield ""
    yield "[bold]trace[/]"
    if not entries:
        yield "  nothing: its entries are not kept any more"
    calls = {each["id"]: each for each in turn["invocations"]["nodes"]}
    for entry in entries:
        word, since = word_of(entry), _since(turn, entry["createdAt"])
        lines = _wrapped(_entry_text(entry, calls), _BESIDE)
        colour = _COLOURS.get(word)
        shown = f"{word:<{_WORD}}"
        yield f"  [dim]{since:>10}[/]  {f'[{colour}]{shown}[/]' if colour else shown} {lines[0]}"
        for line in lines[1:]:
            yield f"{'':{_BESIDE}}{line}"
    yield from _results(turn)


def _head(turn: Mapping[str, Any]) -> Iterator[str]:
    status = turn["status"].lower()
    committed = "" if turn["commitStatus"] is None else f", commit {turn['commitStatus'].lower()}"
    yield f"[bold]turn {printable(turn['key'])}[/]  {status}{committed}"
    rows = [("id", turn["id"]), ("began", turn["createdAt"])]
    rows += [
        (name, f"{turn[field]}  ({_since(turn, turn[field])})")
        for name, field in (("completed", "completedAt"), ("final", "finalAt"), ("ended", "endedAt"))
        if turn[field] is not None
    ]
    rows += [
        (name, turn[field][of])
        for name, field, of in (
            ("by", "createdBy", "name"),
            ("space", "space", "name"),
            ("session", "session", "key"),
        )
        if turn[field] is not None
    ]
    if turn["summary"] is not None:
        rows.append(("summary", turn["summary"]))
    for name, value in rows:
        lines = _wrapped(str(value), 13)
        yield f"  [dim]{name:<10}[/] {lines[0]}"
        for line in lines[1:]:
            yield f"{'':13}{line}"


def _phases(entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the phases of each commit with their milliseconds, and a bar of their share of it."""
    for entry in entries:
        phases: Mapping[str, float] = entry["details"].get("phases") or {}
        if not phases:
            continue
        whole = sum(phases.values())
        yield ""
        yield f"[bold]phases[/]  {whole:.1f} ms"
        for name, took in phases.items():
            bar = "█" * round(30 * took / whole) if whole else ""
            yield f"  {name.replace('_', ' '):<14} {took:>9.1f} ms  [dim]{bar}[/]".rstrip()


def _entry_text(entry: Mapping[str, Any], calls: Mapping[str, Mapping[str, Any]]) -> str:
    kind, details = TraceKind(entry["kind"].lower()), entry["details"]
    if kind in _CALLS:
        call = next((calls[uid] for uid in entry["ids"] if uid in calls), None)
        took = details.get("executionTimeMs")
        reported = call is None or call["executionTimeReported"]
        time = f", {took} ms" if reported and took is not None else ""
        why = f": {call['error']}" if call is not None and call["error"] else ""
        return f"{details.get('tool')} {'failed' if kind is TraceKind.TOOL_FAILED else 'ok'}{time}{why}"
    said = entry["message"]
    if kind is TraceKind.CONTEXT_ASSEMBLED:
        read = counted(details["included"], "item")
        said += f": {read}, {details['used']} of {details['budget']} tokens"
        details = {
            "left out": details["excluded"],
            "missing mandates": details["missing_mandates"],
            # Older entries do not say it.
            "late": details.get("late"),
        }
    elif kind is TraceKind.STATE_SELECTED:
        details = {"left out": details["discarded"]}
    elif kind is TraceKind.STATE_PUBLISHED:
        said += f": {', '.join(entry['ids'])}"
    return "; ".join([said, *_details(details)])


def _details(details: Mapping[str, Any]) -> Iterator[str]:
    """Yield codes and numbers as `name value`; what is empty, false or zero says nothing."""
    paired = [pair for pair in _PAIRS if details.keys() >= set(pair)]
    yield from (f"{_lower(details[before])} → {_lower(details[after])}" for before, after in paired)
    for name, value in details.items():
        if name == "success":
            yield "success" if value else "failure"
        elif not value or name in _OMITTED_DETAILS or any(name in pair for pair in paired):
            continue
        else:
            yield _detail(name.replace("_", " "), value)


def _detail(name: str, value: object) -> str:
    if isinstance(value, Mapping):
        return f"{name}: {', '.join(f'{number} {_lower(code)}' for code, number in value.items())}"
    if isinstance(value, list):
        return f"{name}: {', '.join(map(_lower, value))}"
    return name if value is True else f"{name} {value}"


def _results(turn: Mapping[str, Any]) -> Iterator[str]:
    outcomes, exports, made = turn["outcomes"]["nodes"], turn["exports"]["nodes"], turn["made"]
    if outcomes:
        yield ""
        yield "[bold]outcomes[/]"
    for outcome in outcomes:
        said = "[green]success[/]" if outcome["success"] else "[red]failure[/]"
        more = (
            f", satisfaction {printable(outcome['userSatisfaction'])}" if outcome["userSatisfaction"] else ""
        )
        yield f"  {said}{more}"
        lessons = [f"lesson: {each['statement']}" for each in outcome["lessons"]["nodes"]]
        for text in (outcome["result"], *lessons):
            for line in _wrapped(text or "", 4):
                yield f"    {line}"
    numbers = Counter(_words(each["__typename"]) for each in made["nodes"])
    yield ""
    yield "[bold]made[/]"
    said = ", ".join(counted(number, kind) for kind, number in sorted(numbers.items()))
    more_of = made["totalCount"] - len(made["nodes"])
    if more_of:
        said += f", and {counted(more_of, 'other record')}"
    for line in _wrapped(said or "nothing", 2):
        yield f"  {line}"
    if exports:
        yield ""
        yield "[bold]exports[/]"
    for export in exports:
        yield f"  {export['id']}"
        yield f"  [dim]sha256 {export['digest']}[/]"


def _wrapped(text: str, beside: int) -> list[str]:
    """Return a text in lines that fit beside so many columns, at least one; safe to print."""
    shown = textwrap.wrap(text, _WIDTH - beside, break_on_hyphens=False) or [""]
    return [printable(line) for line in shown]


def _since(turn: Mapping[str, Any], at: str) -> str:
    """Return how long after the start of a turn something was: `+3.2 s`, from a minute on `+0:54:00`."""
    passed = datetime.fromisoformat(at) - datetime.fromisoformat(turn["createdAt"])
    if passed < timedelta(minutes=1):
        return f"{passed.total_seconds():+.1f} s"
    return f"+{timedelta(seconds=round(passed.total_seconds()))}"


def _lower(code: object) -> str:
    return str(code).replace("_", " ").lower()


def _words(name: str) -> str:
    """Return the name of a type in words: `PendingAction` is a pending action."""
    return "".join(f" {c.lower()}" if c.isupper() else c for c in name).strip()
