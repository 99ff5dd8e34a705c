"""How a turn went, and what happens again and again: the evaluator and the reflector (source 004, §Phase 2).

issues     each tool that failed, with the kind of its error and whether a later call made up for it; each
           text of what could improve; praise of a turn that failed, or something that worked and failed; a
           turn that failed without any of these
follow-up  needed if the turn failed. It is about the first tool that nothing made up for, else about the
           first thing that could improve, else about the turn.
pattern    a tool that failed with one kind of error, or a fallback that worked, in `pattern_from` or more of
           the recent turns; each turn counts once
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from prefrontal.graph.config.lesson_tables import LessonsTable
from prefrontal.graph.lessons.extraction import Failure, drafts_of, failures_of, is_conflicting
from prefrontal.graph.lessons.generalising import shortened
from prefrontal.graph.lessons.record import (
    Evaluation,
    Issue,
    Pattern,
    PatternKind,
    TurnEvidence,
)
from prefrontal.graph.wording import counted

_LONGEST_TITLE = 200


class Evaluator(Protocol):
    """Judges how a turn went."""

    async def evaluate(self, finding: TurnEvidence) -> Evaluation:
        """Return whether it succeeded, what went wrong, and whether something is to be done."""
        ...


class Reflector(Protocol):
    """Finds what happens again and again."""

    async def patterns(self, recent: Sequence[TurnEvidence]) -> tuple[Pattern, ...]:
        """Return the patterns over some recent turns."""
        ...


class RuleReflector:
    """Evaluator and reflector by the rules of this module."""

    def __init__(self, table: LessonsTable, stop_words: Iterable[str]) -> None:
        self._table = table
        self._stop_words = frozenset(stop_words)

    async def evaluate(self, finding: TurnEvidence) -> Evaluation:
        """Return whether a turn succeeded, what went wrong, and whether something is to be done."""
        return evaluate(finding, self._table, self._stop_words)

    async def patterns(self, recent: Sequence[TurnEvidence]) -> tuple[Pattern, ...]:
        """Return the patterns over some recent turns."""
        return patterns(recent, self._table)


def evaluate(
    finding: TurnEvidence, table: LessonsTable, stop_words: frozenset[str] = frozenset()
) -> Evaluation:
    """Return whether a turn succeeded, what went wrong, and whether something is to be done."""
    failures = failures_of(finding, table)
    issues = [
        Issue(
            code="tool_failed",
            message=f"{failure.tool} {table.errors[failure.error].said}",
            tool=failure.tool,
            error=failure.error,
            recovered=failure.worked is not None,
        )
        for failure in failures
    ]
    improve = [text for text in finding.what_could_improve if text.strip()]
    issues += [Issue(code="could_improve", message=text) for text in improve]
    if is_conflicting(drafts_of(finding, table, stop_words)):
        issues.append(Issue(code="conflicting_feedback", message="the outcome says the opposite of itself"))
    if not finding.success and not issues:
        issues.append(Issue(code="failed", message="the turn did not succeed"))
    follow_up = None if finding.success else _follow_up(finding, failures, improve, table)
    return Evaluation(
        success=finding.success,
        issues=tuple(issues),
        needs_follow_up=follow_up is not None,
        follow_up=follow_up,
    )


def patterns(recent: Sequence[TurnEvidence], table: LessonsTable) -> tuple[Pattern, ...]:
    """Return what happened in several of some turns, the most frequent first."""
    failed: dict[tuple[str, str], list[Failure]] = {}
    replaced: dict[tuple[str, str, str], list[Failure]] = {}
    for finding in recent:
        for failure in failures_of(finding, table):
            failed.setdefault((failure.tool, failure.error), []).append(failure)
            if failure.worked is not None and failure.worked.tool != failure.tool:
                replaced.setdefault((failure.tool, failure.error, failure.worked.tool), []).append(failure)
    found = [
        Pattern(
            kind=PatternKind.REPEATED_FAILURE,
            tool=tool,
            error=error,
            turns=len(each),
            calls=sum(len(failure.calls) for failure in each),
            statement=f"{tool} {table.errors[error].said}: in {counted(len(each), 'recent turn')}",
        )
        for (tool, error), each in failed.items()
    ]
    found += [
        Pattern(
            kind=PatternKind.REPEATED_FALLBACK,
            tool=tool,
            other=other,
            error=error,
            turns=len(each),
            calls=sum(len(failure.calls) for failure in each),
            statement=f"{other} took the place of {tool} in {counted(len(each), 'recent turn')}",
        )
        for (tool, error, other), each in replaced.items()
    ]
    repeated = [pattern for pattern in found if pattern.turns >= table.pattern_from]
    return tuple(
        sorted(repeated, key=lambda one: (-one.turns, one.kind, one.tool, one.other or "", one.error))
    )


def _follow_up(
    finding: TurnEvidence, failures: Sequence[Failure], improve: Sequence[str], table: LessonsTable
) -> str:
    open_ones = [failure for failure in failures if failure.worked is None]
    if open_ones:
        first = open_ones[0]
        return f"Find another way: {first.tool} {table.errors[first.error].said}"
    if improve:
        return shortened(improve[0].strip(), _LONGEST_TITLE)
    said = (finding.result or "").strip()
    return shortened(
        f"Follow up on what failed: {said}" if said else "Follow up on the turn that failed", _LONGEST_TITLE
    )
