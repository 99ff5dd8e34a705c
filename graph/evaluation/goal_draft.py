"""The goal that a group of observations founds (source 001, §Create FC Goal from Observation).

title     as the reviewer calls it; else its key in words; else what its first founder says
type      the key, so that what names the key later finds the goal
person    the one its founders are about
evidence  every founder, in order of age          action  the registry's first step, or the reviewer's
"""

from __future__ import annotations

from prefrontal.graph.config.tables import EvaluationTable
from prefrontal.graph.cortex.actions.record import PendingActionDraft
from prefrontal.graph.cortex.goals.record import EvidenceDraft, GoalDraft
from prefrontal.graph.evaluation.record import Group
from prefrontal.graph.validation import short_name


def title_of(group: Group, most: int) -> str:
    """Return what the group's goal is called when nobody said: `find_wine` becomes `Find wine`."""
    words = (group.key or "").replace("_", " ").replace("-", " ").strip()
    if words:
        return short_name(words[:1].upper() + words[1:], most)
    return short_name(group.founders[0].content, most)


def goal_draft(group: Group, called: GoalDraft | None, table: EvaluationTable, most: int) -> GoalDraft:
    """Return the goal of a group; `called` is what the reviewer wants it to be, but for its evidence.

    `most` is the length of a title, in characters.
    """
    evidence = tuple(EvidenceDraft(observation_id=o.uid) for o in group.founders)
    first = PendingActionDraft(type=table.first_action.type, title=table.first_action.title)
    if called is None:
        called = GoalDraft(title=title_of(group, most))
    return called.model_copy(
        update={
            "goal_type": called.goal_type or group.key,
            "user_id": called.user_id or group.user_id,
            "evidence": evidence,
            "pending_actions": called.pending_actions or (first,),
        }
    )
