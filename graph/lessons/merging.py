"""Which lessons of a space a turn confirms, which it contradicts, and which are new.

the same      the lesson with the same key; else one with the same text and polarity; else, of what feedback
              says, the nearest one by meaning, from the cosine `near` of `lessons.yaml` on, if both say the
              same kind of thing, deny alike, and name the same tools
confirmed     a lesson that is the same as a draft: the outcome counts for it, once
contradicted  a lesson about a subject of which the outcome shows the opposite: the outcome counts against it,
              once; the two are linked and not averaged. So of two lessons of one outcome that contradict each
              other each has it for and against itself.

A lesson that was retired is counted for and against too, but stays retired. One that was forgotten stays
forgotten, and is not learned anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from prefrontal.graph.config.lesson_tables import LessonsTable
from prefrontal.graph.lessons.record import LessonDraft, LessonKind, LessonSource
from prefrontal.graph.text.folding import fold
from prefrontal.graph.text.words import words_of


class ExistingLesson(NamedTuple):
    """A lesson of the space, as far as merging looks at it."""

    uid: str
    key: str
    statement: str
    says: LessonKind
    source: LessonSource
    subject: str
    holds: bool
    tools: tuple[str, ...] = ()
    forgotten: bool = False


class MergeResult(NamedTuple):
    """What becomes of the lessons of an outcome; drafts are named by their place."""

    new: tuple[int, ...]
    confirmed: Mapping[str, tuple[int, ...]]
    """By the id of a lesson the drafts that are the same."""
    contradicted: tuple[str, ...]
    """The ids of lessons that the outcome counts against."""
    against_new: frozenset[int]
    """The new ones that the outcome counts against, too."""
    conflicts: tuple[tuple[int, str], ...]
    """Drafts, and the lessons of the space that they contradict."""
    conflicts_between: tuple[tuple[int, int], ...]
    """Drafts that contradict each other."""


def is_near(
    one: LessonDraft, other: ExistingLesson, cosine: float, least: float, table: LessonsTable
) -> bool:
    """Return whether a text of feedback and a lesson with a cosine say the same."""
    return (
        cosine >= least
        and one.source is other.source is LessonSource.FEEDBACK
        and one.says is other.says
        and one.holds is other.holds
        and {*one.tools} == {*other.tools}
        and _denials(one.statement, table) == _denials(other.statement, table)
    )


def cosine_of(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the cosine of two vectors; 0 if one of them is zero."""
    length = math.sqrt(sum(x * x for x in one) * sum(x * x for x in other))
    return sum(x * y for x, y in zip(one, other, strict=True)) / length if length else 0.0


def merge(
    drafts: Sequence[LessonDraft],
    known: Sequence[ExistingLesson],
    near: Mapping[int, str] | None = None,
    *,
    key: Callable[[LessonDraft], str] = lambda draft: draft.key,
) -> MergeResult:
    """Decide what becomes of the lessons of an outcome.

    Args:
        drafts: The lessons that were extracted, each once.
        known: The lessons of the space that may be the same, or about the same subjects.
        near: By the place of a draft the id of the lesson that is near enough by meaning.
        key: The key of a draft, in the form that lessons of the space have it.
    """
    near = near or {}
    by_key = {each.key: each for each in known}
    by_text = {(fold(each.statement), each.holds): each for each in known}
    by_uid = {each.uid: each for each in known}
    new: list[int] = []
    confirmed: dict[str, list[int]] = {}
    for place, draft in enumerate(drafts):
        same = (
            by_key.get(key(draft))
            or by_text.get((fold(draft.statement), draft.holds))
            or by_uid.get(near.get(place, ""))
        )
        if same is None:
            new.append(place)
        elif not same.forgotten:
            confirmed.setdefault(same.uid, []).append(place)
    live = [each for each in known if not each.forgotten]
    conflicts = tuple(
        (place, each.uid)
        for place, draft in enumerate(drafts)
        for each in live
        if _shows_opposite(draft, each.subject, holds=each.holds)
    )
    between = tuple(
        (place, other)
        for place, draft in enumerate(drafts)
        for other, one in enumerate(drafts)
        if place != other and _shows_opposite(draft, one.subject, holds=one.holds)
    )
    return MergeResult(
        new=tuple(new),
        confirmed={uid: tuple(places) for uid, places in confirmed.items()},
        contradicted=tuple(dict.fromkeys(uid for _, uid in conflicts)),
        against_new=frozenset(other for _, other in between if other in new),
        conflicts=conflicts,
        conflicts_between=tuple({(min(pair), max(pair)): None for pair in between}),
    )


def _shows_opposite(draft: LessonDraft, subject: str, *, holds: bool) -> bool:
    return any(claim.subject == subject and claim.holds is not holds for claim in draft.claims)


def _denials(text: str, table: LessonsTable) -> int:
    denials = {*table.denials}
    return sum(word in denials for word in words_of(text)) % 2
