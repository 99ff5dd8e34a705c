"""What of a turn is remembered (source 004, §What Gets Remembered; decisions G-117 to G-122 and G-124).

    user data      always
    importance     above the threshold of its type of data; a threshold of 0 keeps everything
    relevance      to goals, to the user, or to what can be done: one of the three parts above 0
    confidence     not below the least one of its type of data
    actionability  not below the least one of its type of data
    quota          the most important ones of a turn, if the room is short; user data needs no room

The first rule that fails is named. A client that gives the importance itself has judged the relevance, and
for errors the actionability, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from prefrontal.graph.config.tables import RetentionTable
from prefrontal.graph.turns.commit_record import Candidate, Decided, RetentionClass, Rule


def selected(candidates: Sequence[Candidate], table: RetentionTable, room: int | None) -> list[Decided]:
    """Return the decision about each candidate, in their order; `room` is None without a quota."""
    decided = [Decided(candidate=each, rule=_rule(each, table)) for each in candidates]
    if room is None:
        return decided
    kept = [
        place
        for place, each in enumerate(decided)
        if each.rule is None and each.candidate.retention is not RetentionClass.USER_DATA
    ]
    # Of equal ones the first: sorting keeps the order.
    kept.sort(key=lambda place: -decided[place].candidate.importance.value)
    for place in kept[max(0, room) :]:
        decided[place] = decided[place].model_copy(update={"rule": Rule.QUOTA})
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
