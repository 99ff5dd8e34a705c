"""What of a turn is remembered (source 004, §What Gets Remembered; decisions G-117 to G-122 and G-124).

    user data      always
    importance     above the threshold of its type of data; a threshold of 0 keeps everything
    relevance      to goals, to the user, or to what can be done: one of the three parts above 0
    confidence     not below the least one of its type of data
    actionability  not below the least one of its type of data
    quota          if the room is short, the most important ones of a turn and of what is stored, by
                   `admitted`; user data needs no room and is never archived

The first rule that fails is named. A client that gives the importance itself has judged the relevance, and
for errors the actionability, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from prefrontal.graph.config.tables import RetentionTable
from prefrontal.graph.turns.commit_record import Candidate, CandidateDecision, RetentionClass, Rule


def selected(candidates: Sequence[Candidate], table: RetentionTable) -> list[CandidateDecision]:
    """Return the decision about each candidate, in their order, without regard to the room."""
    return [CandidateDecision(candidate=each, rule=_rule(each, table)) for each in candidates]


def admitted(
    new: Sequence[float], stored: Sequence[tuple[str, float]], room: int
) -> list[tuple[str, ...] | None]:
    """Return for each new item which stored ones are archived to make room for it; None if it has no room.

    The most important new item comes first, of equal ones the first. It takes free room, or that of the least
    important stored items, the first of equal ones; all of them must be less important than it is.

    Args:
        new: The importance of each new item.
        stored: The ids of the stored items that may leave, with their importance; the oldest first.
        room: How many more items there is room for; below 0 if there are too many.
    """
    decided: list[tuple[str, ...] | None] = [None] * len(new)
    # Of equal ones the first: sorting keeps the order.
    leaving = sorted(stored, key=lambda each: each[1])
    for place in sorted(range(len(new)), key=lambda each: -new[each]):
        needed = max(0, 1 - room)
        least, leaving = leaving[:needed], leaving[needed:]
        if len(least) < needed or any(importance >= new[place] for _, importance in least):
            break
        decided[place] = tuple(uid for uid, _ in least)
        room += needed - 1
    return decided


def _rule(candidate: Candidate, table: RetentionTable) -> Rule | None:
    """Return the first rule that leaves a candidate out, or None."""
    if candidate.retention is RetentionClass.USER_DATA:
        return None
    wanted, found = getattr(table.classes, candidate.retention.value), candidate.importance
    relevant = found.relevance_to_goals or found.relevance_to_user or found.actionability
    rules = [(Rule.IMPORTANCE, wanted.importance > 0 and found.value <= wanted.importance)]
    if not candidate.given:
        rules += [
            (Rule.RELEVANCE, not relevant),
            (Rule.CONFIDENCE, found.confidence < wanted.confidence),
            (Rule.ACTIONABILITY, found.actionability < wanted.actionability),
        ]
    return next((rule for rule, leaves_out in rules if leaves_out), None)
