"""The draft of a goal that is created from a group of observations.

Source 001, §Create FC Goal from Observation. The observations of the group are the goal's founders.

title     the reviewer's title; else the group's key in words; else the text of the first founder
type      the group's key, so that later observations that name the key find the goal
person    the person that the founders are about
evidence  all founders, in order of age
action    the reviewer's actions; else the first action from the registry
"""

from __future__ import annotations

from prefrontal.graph.config.tables import EvaluationTable
from prefrontal.graph.cortex.actions.record import PendingActionDraft
from prefrontal.graph.cortex.goals.record import EvidenceDraft, GoalDraft
from prefrontal.graph.evaluation.record import Group
from prefrontal.graph.validation import short_name


def title_of(group: Group, most: int) -> str:
    """Return the default title of a group's goal: the key `find_wine` gives `Find wine`."""
    words = (group.key or "").replace("_", " ").replace("-", " ").strip()
    if words:
        return short_name(words[:1].upper() + words[1:], most)
    return short_name(group.founders[0].content, most)


def goal_draft(group: Group, called: GoalDraft | None, table: EvaluationTable, most: int) -> GoalDraft:
    """Return the draft of a group's goal.

    Args:
        group: The group of founders.
        called: The reviewer's draft, or None. Its evidence is replaced by the founders.
        table: The registry's table of evaluation.
        most: The maximum length of a title, in characters.
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
