"""The decision about each observation: promote it to a goal, keep it, or archive it.

Sources: 001, §Decision Points 1; decisions G-010..G-012, G-022, G-029, G-030, G-145.

An observation joins a goal when it becomes evidence of the goal. It founds a goal when the goal is created
from it. Observations are evaluated from the oldest to the newest, so that the same observations give the same
goals whether they are evaluated together or one after the other. The first condition that holds decides:

    condition                                                          decision
    -----------------------------------------------------------------  ---------------------------------------
    is already evidence of a goal                                      keep (already linked)
    expired, resolved, or has exactly the text of linked evidence      archive; keep if the observation is
                                                                       pinned or `put_away` is false
    names a goal by id                                                 join the goal, whatever the confidence;
                                                                       keep if the goal is not readable, not
                                                                       active or not writable
    names a key that is the type of an active goal                     join the goal, whatever the confidence
    operational; confidence < threshold                                keep
    importance <= min_importance, and names no goal by key             keep
    names a key that is the type of no active goal                     found a goal of that type
    shares a topic with exactly one active goal                        join the goal
    shares a topic with several active goals                           keep; a choice would be a guess
    was judged by its vector, calls for nothing, and neither its       keep
    type nor a tag says that it does
    otherwise                                                          found a goal

What was not judged, because there is no encoder or the vector is not made yet, is decided by words: they
count for its importance, and say whether it is operational.

Low confidence or importance alone never archives an observation. Evidence that joins a goal adds to its
progress. The exception is an observation that does not name the goal by id, could have founded the goal
itself, and joins before work on the goal has begun: it is another reason for the goal, not progress (see
`is_being_founded`). Confidences are never added up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from prefrontal.graph.config.tables import EvaluationTable, GoalsTable
from prefrontal.graph.cortex.goals.record import GoalStatus, KnownGoal
from prefrontal.graph.cortex.goals.topics import related, topics_of
from prefrontal.graph.evaluation.importance import is_about_user, is_actionable, is_operational
from prefrontal.graph.evaluation.record import Decision, Group, Plan, Reason, Verdict
from prefrontal.graph.importance import importance_of
from prefrontal.graph.scratch.record import Observation, ObservationStatus, Reviewable
from prefrontal.graph.scratch.rules import names_goal

_DOUBTS = (
    Reason.OPERATIONAL,
    Reason.BELOW_THRESHOLD,
    Reason.LOW_IMPORTANCE,
    Reason.CALLS_FOR_NOTHING,
)
_PUT_AWAY = {ObservationStatus.EXPIRED: Reason.EXPIRED, ObservationStatus.RESOLVED: Reason.RESOLVED}


def named_goal(o: Observation) -> str | None:
    """Return the id of the goal that an observation names, or None if it names no goal by id."""
    return o.context.goal_id if names_goal(o.context) else None


def named_key(o: Observation) -> str | None:
    """Return the goal key that an observation names, or None.

    A `goal_id` that is not a well-formed goal id counts as a key (G-021).
    """
    if o.context.goal_key is not None:
        return o.context.goal_key
    return o.context.goal_id if named_goal(o) is None else None


def is_doubtful(o: Observation, table: EvaluationTable, *, by_phrases: bool = True) -> Reason | None:
    """Return the reason why an observation alone cannot found a goal, or None.

    The reason is that the observation is operational, or that its confidence is below the threshold. What is
    judged by its vector is not operational `by_phrases`.
    """
    if is_operational(o, table, by_phrases=by_phrases):
        return Reason.OPERATIONAL
    return Reason.BELOW_THRESHOLD if o.confidence < table.threshold else None


def needs_the_graph(o: Observation, table: EvaluationTable, *, by_phrases: bool = True) -> bool:
    """Tell whether the decision about an active observation depends on data in the graph.

    Without `by_phrases` it also does if only the words of the text say that it is operational: its vector may
    say something else.
    """
    doubt = is_doubtful(o, table, by_phrases=by_phrases)
    return doubt is None or o.context.goal_id is not None or o.context.goal_key is not None


class Planner:
    """Decides about observations one after the other.

    Goals planned for earlier ones are taken into account.
    """

    def __init__(
        self,
        named: Mapping[str, KnownGoal],
        active: Sequence[KnownGoal],
        table: EvaluationTable,
        goals: GoalsTable,
        *,
        put_away: bool,
        judged: Mapping[str, bool] | None = None,
    ) -> None:
        """Store the goals named by id, the active goals, the tables, and whether to archive observations.

        `active` has every active goal that shares a topic with an observation or has the type that one names.
        `judged` says by the ids of those observations whose vectors were judged whether they call for
        something.
        """
        self._named = named
        # A goal named by id gets the topics of what joins it, so later observations may be related to it.
        usable = {uid: goal for uid, goal in named.items() if goal.status.value in goals.active_statuses}
        self._goals = usable | {goal.uid: goal for goal in active}
        self._table = table
        self._topics = goals.topics
        self._active_statuses = goals.active_statuses
        self._put_away = put_away
        self._judged = judged or {}
        self._groups: list[Group] = []
        self._linked_texts: set[tuple[str, str, str | None]] = set()

    def plan(self, candidates: Sequence[Reviewable]) -> Plan:
        """Return the plan for the candidates: their verdicts in the order given, and the goals to create."""
        verdicts = {c.observation.uid: self._decide(c) for c in _by_age(candidates)}
        # An observation that was kept because of doubt may name the key of a goal that a later one founds.
        for c in _by_age(candidates):
            verdict = verdicts[c.observation.uid]
            if verdict.reason in _DOUBTS:
                goal = self._by_key(c.observation)
                if goal is not None:
                    verdicts[c.observation.uid] = self._join(verdict, goal)
        return Plan(
            verdicts=tuple(verdicts[c.observation.uid] for c in candidates), groups=tuple(self._groups)
        )

    def _decide(self, c: Reviewable) -> Verdict:
        o = c.observation
        named = self._named.get(named_goal(o) or "")
        keyed = self._by_key(o)
        akin = related(o, self._goals.values(), self._topics)
        verdict = Verdict(
            candidate=c,
            decision=Decision.KEEP,
            reason=Reason.LOW_IMPORTANCE,
            importance=importance_of(
                relevance_to_goals=1.0 if named or keyed else self._table.topic_relevance if akin else 0.0,
                relevance_to_user=float(is_about_user(o, self._table)),
                confidence=o.confidence,
                novelty=0.0 if c.repeated else 1.0,
                actionability=float(is_actionable(o, self._table, judged=self._judged.get(o.uid))),
                weights=self._table.weights,
            ),
        )
        if c.linked:
            return _with(verdict, reason=Reason.ALREADY_LINKED, goal_id=next(iter(c.goal_ids), None))
        away = self._away(c)
        if away is not None:
            decision = Decision.ARCHIVE if self._put_away and not o.pinned else Decision.KEEP
            return _with(verdict, decision=decision, reason=away)
        if named is not None:
            return self._join_named(verdict, named)
        if named_goal(o) is not None:
            return _with(verdict, reason=Reason.GOAL_NOT_FOUND)
        return self._join(verdict, keyed) if keyed is not None else self._promote(verdict, akin)

    def _promote(self, verdict: Verdict, akin: Sequence[KnownGoal]) -> Verdict:
        """Decide about an observation that names no existing goal."""
        o = verdict.candidate.observation
        doubt = self._doubt(o)
        if doubt is not None:
            return _with(verdict, reason=doubt)
        if not self._is_important(verdict):
            return verdict
        if named_key(o) is not None:
            return self._found(verdict)
        if not akin:
            idle = o.uid in self._judged and not verdict.importance.actionability
            return _with(verdict, reason=Reason.CALLS_FOR_NOTHING) if idle else self._found(verdict)
        return self._join(verdict, akin[0]) if len(akin) == 1 else _with(verdict, reason=Reason.SEVERAL_GOALS)

    def _doubt(self, o: Observation) -> Reason | None:
        return is_doubtful(o, self._table, by_phrases=o.uid not in self._judged)

    def _is_important(self, verdict: Verdict) -> bool:
        """Tell whether an observation is important enough to found a goal; who names a goal's key says so."""
        named = named_key(verdict.candidate.observation) is not None
        return named or verdict.importance.value > self._table.min_importance

    def _away(self, c: Reviewable) -> Reason | None:
        if c.observation.status in _PUT_AWAY:
            return _PUT_AWAY[c.observation.status]
        return Reason.DUPLICATE if c.twin_linked or _text(c) in self._linked_texts else None

    def _by_key(self, o: Observation) -> KnownGoal | None:
        """Return the oldest active goal in the observation's space whose type is the key that it names."""
        key = named_key(o)
        if key is None:
            return None
        same = (g for g in self._goals.values() if g.scope_id == o.scope_id and g.goal_type == key)
        return min(same, key=lambda goal: goal.uid, default=None)

    def _join_named(self, verdict: Verdict, goal: KnownGoal) -> Verdict:
        if not goal.writable:
            return _with(verdict, reason=Reason.GOAL_NOT_WRITABLE, goal_id=goal.uid)
        if goal.status.value not in self._active_statuses:
            return _with(verdict, reason=Reason.GOAL_NOT_ACTIVE, goal_id=goal.uid)
        return self._join(verdict, goal, names_goal=True)

    def _join(self, verdict: Verdict, goal: KnownGoal, *, names_goal: bool = False) -> Verdict:
        c = verdict.candidate
        founder = not names_goal and self._doubt(c.observation) is None and self._is_important(verdict)
        self._linked_texts.add(_text(c))
        if goal.uid in self._goals:
            topics = goal.topics | topics_of(c.observation, self._topics)
            self._goals[goal.uid] = goal.model_copy(update={"topics": topics})
        group = _group_number(goal.uid)
        if group is None:
            return _with(
                verdict,
                decision=Decision.PROMOTE,
                reason=Reason.JOINED_GOAL,
                goal_id=goal.uid,
                names_goal=names_goal,
                founder=founder,
            )
        if not founder:
            return _with(verdict, decision=Decision.PROMOTE, reason=Reason.JOINED_GOAL, group=group)
        before = self._groups[group]
        self._groups[group] = before.model_copy(update={"founders": (*before.founders, c.observation)})
        return _with(
            verdict, decision=Decision.PROMOTE, reason=Reason.FOUNDED_GOAL, group=group, founder=True
        )

    def _found(self, verdict: Verdict) -> Verdict:
        o, number = verdict.candidate.observation, len(self._groups)
        key = named_key(o)
        self._groups.append(Group(scope_id=o.scope_id, key=key, user_id=o.context.user_id, founders=(o,)))
        uid = f"{_NEW}{number:06}"
        self._goals[uid] = KnownGoal(
            uid=uid,
            scope_id=o.scope_id,
            goal_type=key,
            user_id=o.context.user_id,
            status=GoalStatus.PENDING,
            writable=True,
            topics=topics_of(o, self._topics),
        )
        self._linked_texts.add(_text(verdict.candidate))
        return _with(
            verdict, decision=Decision.PROMOTE, reason=Reason.FOUNDED_GOAL, group=number, founder=True
        )


_NEW = "~new"
"""The prefix of placeholder ids for goals that are planned but not created. They sort after all real ids."""


def _group_number(uid: str) -> int | None:
    return int(uid.removeprefix(_NEW)) if uid.startswith(_NEW) else None


def _text(c: Reviewable) -> tuple[str, str, str | None]:
    return c.observation.scope_id, c.text_key, c.observation.context.user_id


def _by_age(candidates: Sequence[Reviewable]) -> list[Reviewable]:
    return sorted(candidates, key=lambda c: c.observation.uid)


def _with(verdict: Verdict, **fields: object) -> Verdict:
    return verdict.model_copy(update=fields)
