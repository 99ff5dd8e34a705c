"""Which lessons a turn teaches: by rules, from its feedback and its calls.

Feedback. Each text of `what_worked` and `what_could_improve` is a lesson, generalised (`generalising`). It is
about the tool that it names, else about its subject words. What worked holds, unless the text denies it; what
could improve does not hold. Of the latter only a text that says that something fails is about a tool.

Calls. A tool is looked at as a whole; its first failed call says with which kind of error it fails.

    all calls worked     `<tool> is reliable for <parameters> queries`, of `reliable_from` calls or more and
                         if the turn succeeded
    several calls worked `<tool> can be called for several <parameters> in one turn`, of `several_from` calls
                         or more
    failed, then another tool worked            `<tool> <error>; use <other> as fallback`
    failed, then the same tool worked           `<tool> <error>; trying again works`
    failed, and nothing that came after worked  `<tool> <error>`

What worked is the first call that worked after the failed one, whatever was tried between the two. A failed
tool is shown not to be reliable, and what was tried between and failed is shown to be no fallback. A tool
that took the place of another one is not called reliable too.

Conflicts. Two lessons of a turn conflict if what one shows is the opposite of what the other says, and what
is said to have worked conflicts with a turn that did not succeed. All are kept and marked.

A turn without feedback and calls teaches nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple, Protocol

from prefrontal.graph.config.lesson_tables import LessonsTable
from prefrontal.graph.config.tables import LimitsTable
from prefrontal.graph.lessons.generalising import (
    general,
    named_values,
    plural,
    purpose_names,
    shortened,
    varying,
    words_of_name,
)
from prefrontal.graph.lessons.record import Call, Claim, LessonDraft, LessonKind, LessonSource, TurnEvidence
from prefrontal.graph.text.folding import fold, unique_folded
from prefrontal.graph.text.words import stem, words_of

TAG = "lesson"
"""The tag that every lesson has."""
_SHORTEST = 3
_MOST_KINDS = 2


class LessonExtractor(Protocol):
    """Finds the lessons of a turn. A language model may do it; the default are the rules of this module."""

    async def extract(self, finding: TurnEvidence) -> tuple[LessonDraft, ...]:
        """Return the lessons of a turn; none if it teaches nothing."""
        ...


class RuleExtractor:
    """The extractor that needs no model: the rules of this module."""

    def __init__(self, table: LessonsTable, stop_words: Iterable[str]) -> None:
        self._table = table
        self._stop_words = frozenset(stop_words)

    async def extract(self, finding: TurnEvidence) -> tuple[LessonDraft, ...]:
        """Return the lessons of a turn."""
        return drafts_of(finding, self._table, self._stop_words)


class Failure(NamedTuple):
    """A tool that failed in a turn, and what came of it."""

    tool: str
    error: str
    """The kind of the error."""
    calls: tuple[Call, ...]
    """Its failed calls."""
    first: Call
    worked: Call | None
    """The first call after the first failed one that worked."""
    tried: tuple[str, ...]
    """The tools whose calls failed between the two."""


def drafts_of(
    finding: TurnEvidence, table: LessonsTable, stop_words: frozenset[str] = frozenset()
) -> tuple[LessonDraft, ...]:
    """Return the lessons of a turn: those of its feedback, then those of its calls."""
    found = [*_of_feedback(finding, table, stop_words), *_of_calls(finding, table)]
    return marked(unique(found), success=finding.success)


def admitted(
    drafts: Iterable[LessonDraft], table: LessonsTable, limits: LimitsTable, *, success: bool
) -> tuple[LessonDraft, ...]:
    """Return the lessons of an extractor as they are stored: each once, in bounds, tagged and marked.

    A text without a word is none. What another extractor than the default one returns may be too long.
    """
    kept = [
        draft.model_copy(
            update={
                "statement": shortened(draft.statement.strip(), table.longest),
                "tags": tuple(
                    tag for tag in unique_folded((TAG, *draft.tags)) if 0 < len(tag) <= limits.tag_characters
                )[: limits.tags],
            }
        )
        for draft in drafts
        if words_of(draft.statement)
    ]
    return marked(unique(kept), success=success)


def unique(drafts: Iterable[LessonDraft]) -> tuple[LessonDraft, ...]:
    """Return drafts, each lesson once: equal ones are one, with the evidence and the tags of all."""
    found: dict[str, LessonDraft] = {}
    for draft in drafts:
        same = next((key for key, one in found.items() if _is_same(one, draft)), None)
        if same is None:
            found[draft.key] = draft
            continue
        one = found[same]
        found[same] = one.model_copy(
            update={
                "evidence": tuple(dict.fromkeys((*one.evidence, *draft.evidence))),
                "tags": unique_folded((*one.tags, *draft.tags)),
                "tools": unique_folded((*one.tools, *draft.tools)),
                "implied": tuple(dict.fromkeys((*one.implied, *draft.implied))),
            }
        )
    return tuple(found.values())


def marked(drafts: Sequence[LessonDraft], *, success: bool) -> tuple[LessonDraft, ...]:
    """Return drafts of one turn with the conflicting ones marked."""
    conflicting = {
        key
        for one, other in combinations(drafts, 2)
        if opposes(one, other) or opposes(other, one)
        for key in (one.key, other.key)
    }
    praise = {} if success else {draft.key for draft in drafts if draft.says is LessonKind.WORKED}
    return tuple(
        draft.model_copy(update={"conflicting": draft.conflicting or draft.key in conflicting | {*praise}})
        for draft in drafts
    )


def opposes(evidence: LessonDraft, lesson: LessonDraft) -> bool:
    """Return whether what a lesson was learned from shows the opposite of what another one says."""
    return any(
        claim.subject == lesson.subject and claim.holds is not lesson.holds for claim in evidence.claims
    )


def is_conflicting(drafts: Iterable[LessonDraft]) -> bool:
    """Return whether lessons of a turn conflict: something worked and failed, or it failed with praise."""
    return any(draft.conflicting for draft in drafts)


def error_kind(text: str | None, table: LessonsTable) -> str:
    """Return the kind of an error by its message."""
    stems = _stems(text or "")
    for kind, error in table.errors.items():
        if any(_contains(stems, _stems(phrase)) for phrase in error.phrases):
            return kind
    return table.other_error


def failures_of(finding: TurnEvidence, table: LessonsTable) -> tuple[Failure, ...]:
    """Return the tools that failed in a turn, in the order of their first failed calls.

    An error whose message does not say its kind is of the kind that the feedback names.
    """
    found = []
    for place, call in enumerate(finding.calls):
        if not call.failed or any(one.tool == call.tool and one.failed for one in finding.calls[:place]):
            continue
        later = finding.calls[place + 1 :]
        worked = next((number for number, one in enumerate(later) if not one.failed), None)
        tried = later if worked is None else later[:worked]
        found.append(
            Failure(
                tool=call.tool,
                error=_error_of(call, finding, table),
                calls=tuple(one for one in finding.calls if one.tool == call.tool and one.failed),
                first=call,
                worked=None if worked is None else later[worked],
                tried=tuple(dict.fromkeys(one.tool for one in tried)),
            )
        )
    return tuple(found)


def _error_of(call: Call, finding: TurnEvidence, table: LessonsTable) -> str:
    kind = error_kind(call.error, table)
    if kind == table.other_error:
        named = (error_kind(text, table) for text in finding.what_could_improve)
        return next((one for one in named if one != table.other_error), kind)
    return kind


def _of_feedback(
    finding: TurnEvidence, table: LessonsTable, stop_words: frozenset[str]
) -> Iterator[LessonDraft]:
    tools = tuple(dict.fromkeys(call.tool for call in finding.calls))
    for says, texts in (
        (LessonKind.WORKED, finding.what_worked),
        (LessonKind.IMPROVE, finding.what_could_improve),
    ):
        wording = table.wording.worked if says is LessonKind.WORKED else table.wording.improve
        for text in texts:
            own = (
                finding.turn_uid,
                finding.turn_name or "",
                finding.outcome_uid,
                *(call.invocation_uid for call in finding.calls),
            )
            said = general(text, finding.calls, table, own)
            if not words_of(said):
                continue
            stems, denied = _positive(said, table)
            named = tuple(tool for tool in tools if _contains(_stems(said), _stems(words_of_name(tool))))
            about_tool = len(named) == 1 and (says is LessonKind.WORKED or _names_failure(said, table))
            subject = " ".join(each for each in stems if each not in stop_words) or " ".join(stems)
            yield LessonDraft(
                statement=shortened(wording.format(text=said.rstrip(" .")), table.longest),
                says=says,
                source=LessonSource.FEEDBACK,
                subject=f"tool:{named[0]}" if about_tool else f"text:{subject}",
                holds=says is LessonKind.WORKED and not denied,
                aspect=subject if about_tool else "",
                tags=_tags(named, _subjects(said, table, stop_words), _mentioned(text, finding, table)),
                tools=named,
                evidence=tuple(call.invocation_uid for call in finding.calls if call.tool in named),
            )


def _of_calls(finding: TurnEvidence, table: LessonsTable) -> list[LessonDraft]:
    failures = failures_of(finding, table)
    lessons = [_of_failure(failure, finding, table) for failure in failures]
    if finding.success:
        instead = {failure.worked.tool for failure in failures if failure.worked is not None}
        failed = {failure.tool for failure in failures}
        for tool in dict.fromkeys(call.tool for call in finding.calls):
            if tool not in failed:
                calls = tuple(call for call in finding.calls if call.tool == tool)
                lessons += _of_success(calls, table, instead=tool in instead)
    return lessons[: table.most_from_calls]


def _of_failure(failure: Failure, finding: TurnEvidence, table: LessonsTable) -> LessonDraft:
    tool, said, wording = failure.tool, table.errors[failure.error].said, table.wording
    shown = [
        Claim(subject=f"fallback:{tool}>{other}", holds=False) for other in failure.tried if other != tool
    ]
    shown += [Claim(subject=f"retry:{tool}", holds=False)] if tool in failure.tried else []
    if len([call for call in finding.calls if call.tool == tool]) >= table.several_from:
        shown.append(Claim(subject=f"several:{tool}", holds=False))
    fails = Claim(subject=f"tool:{tool}", holds=False)
    lesson = {"source": LessonSource.LOG, "aspect": failure.error}
    evidence = tuple(call.invocation_uid for call in failure.calls)
    if failure.worked is None:
        return LessonDraft(
            **lesson,
            statement=wording.failure.format(tool=tool, said=said),
            says=LessonKind.FAILURE,
            subject=fails.subject,
            holds=False,
            implied=tuple(shown),
            tags=_tags((tool,), (words_of_name(failure.error),), named_values(failure.calls, table)),
            tools=(tool,),
            evidence=evidence,
        )
    worked = failure.worked
    tags = (words_of_name(failure.error),)
    if worked.tool != tool:
        works = Claim(subject=f"tool:{worked.tool}", holds=True)
        again = any(call.tool == worked.tool and call.failed for call in finding.calls)
        return LessonDraft(
            **lesson,
            statement=wording.fallback.format(tool=tool, said=said, other=worked.tool),
            says=LessonKind.FALLBACK,
            subject=f"fallback:{tool}>{worked.tool}",
            implied=(fails, *shown) if again else (fails, works, *shown),
            tags=_tags((tool, worked.tool), (*tags, "fallback"), named_values(failure.calls, table)),
            tools=(tool, worked.tool),
            evidence=(*evidence, worked.invocation_uid),
        )
    changed = purpose_names(varying((failure.first, worked)), table)
    kinds = " and ".join(changed)
    return LessonDraft(
        **lesson | {"aspect": f"{failure.error} {kinds}".strip()},
        statement=wording.retry_for.format(tool=tool, said=said, kinds=kinds)
        if 0 < len(changed) <= _MOST_KINDS
        else wording.retry.format(tool=tool, said=said),
        says=LessonKind.RETRY,
        subject=f"retry:{tool}",
        # Tried again and failed again before it worked: trying again still helps.
        implied=(fails, *(claim for claim in shown if claim.subject != f"retry:{tool}")),
        tags=_tags((tool,), (*tags, "retry"), named_values((*failure.calls, worked), table)),
        tools=(tool,),
        evidence=(*evidence, worked.invocation_uid),
    )


def _of_success(calls: tuple[Call, ...], table: LessonsTable, *, instead: bool) -> Iterator[LessonDraft]:
    tool, wording = calls[0].tool, table.wording
    names = purpose_names({name for call in calls for name in call.parameters}, table)
    tags = _tags((tool,), names, named_values(calls, table))
    evidence = tuple(call.invocation_uid for call in calls)
    if len(calls) >= table.reliable_from and not instead:
        kinds = " and ".join(names) if 0 < len(names) <= _MOST_KINDS else ""
        yield LessonDraft(
            statement=(wording.reliable_for if kinds else wording.reliable).format(tool=tool, kinds=kinds),
            says=LessonKind.RELIABLE,
            source=LessonSource.LOG,
            subject=f"tool:{tool}",
            aspect=kinds,
            tags=tags,
            tools=(tool,),
            evidence=evidence,
        )
    if len(calls) >= table.several_from:
        names = purpose_names(varying(calls), table)
        kinds = " and ".join(plural(name) for name in names) if 0 < len(names) <= _MOST_KINDS else ""
        yield LessonDraft(
            statement=(wording.several_for if kinds else wording.several).format(tool=tool, kinds=kinds),
            says=LessonKind.SEVERAL,
            source=LessonSource.LOG,
            subject=f"several:{tool}",
            aspect=kinds,
            tags=tags,
            tools=(tool,),
            evidence=evidence,
        )


def _is_same(one: LessonDraft, other: LessonDraft) -> bool:
    return one.key == other.key or (one.holds is other.holds and fold(one.statement) == fold(other.statement))


def _tags(*groups: Iterable[str]) -> tuple[str, ...]:
    return unique_folded((TAG, *(tag for group in groups for tag in group if tag)))


def _subjects(text: str, table: LessonsTable, stop_words: frozenset[str]) -> tuple[str, ...]:
    words = [word for word in words_of(text) if len(word) >= _SHORTEST and not word.isdigit()]
    denials = {*table.denials}
    subjects = [word for word in words if word not in denials and stem(word) not in stop_words]
    return tuple(dict.fromkeys(subjects))[: table.subject_tags]


def _mentioned(text: str, finding: TurnEvidence, table: LessonsTable) -> tuple[str, ...]:
    """Return the values of the calls that a text of feedback has."""
    known = _stems(text)
    return tuple(value for value in named_values(finding.calls, table) if _contains(known, _stems(value)))


def _positive(text: str, table: LessonsTable) -> tuple[tuple[str, ...], bool]:
    """Return the stems of a text without its denials, and whether it has an odd number of them."""
    words, denials = words_of(text), {*table.denials}
    denied = sum(word in denials for word in words)
    return tuple(stem(word) for word in words if word not in denials), denied % 2 == 1


def _names_failure(text: str, table: LessonsTable) -> bool:
    stems = _stems(text)
    named = error_kind(text, table) != table.other_error
    denied = any(word in {*table.denials} for word in words_of(text))
    return named or denied or any(_contains(stems, _stems(each)) for each in table.failing)


def _stems(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in words_of(text))


def _contains(stems: Sequence[str], wanted: Sequence[str]) -> bool:
    """Return whether some stems stand next to each other among others."""
    size = len(wanted)
    return size > 0 and any(
        tuple(stems[start : start + size]) == tuple(wanted) for start in range(len(stems) - size + 1)
    )
