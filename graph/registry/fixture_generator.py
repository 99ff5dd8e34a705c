"""Generates fixtures for an action type: short scenarios that reach every status of the type.

    walked     from the initial status to the statuses not reached yet, by the default owner
    forbidden  a step that owner, confirmation or guard forbid is tried first and refused
    ended      after completion or cancellation, a return to the initial status is refused
    escalated  it escalates when it is overdue for as long as its type says, and not before
    blocking   another action of the goal is not started before it is done
    reported   the agent's result completes it

A maintainer can write better scenarios; the generated ones are correct and cover everything once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from prefrontal.graph.registry.definitions import (
    CANCELLED,
    CLOSED,
    COMPLETED,
    STARTED,
    ActionType,
    EscalationTable,
    completes_by_result,
)

_OPTIONS = ("this", "that")


def lives_of(kind: ActionType) -> list[dict[str, Any]]:
    """Return fixtures in the form of a type's file; a status that no transition reaches is left out."""
    reached = {kind.initial_status}
    found: list[dict[str, Any]] = []
    while path := _path(kind, kind.initial_status, reached):
        life = _Life(kind)
        while path:
            for status in path:
                life.go(status)
                reached.add(status)
            path = _path(kind, path[-1], reached)
        found.append(life.scenario_fixture(len(found)))
    return [*found, *_policy_fixtures(kind)]


def _policy_fixtures(kind: ActionType) -> Iterator[dict[str, Any]]:
    """Yield a fixture for each policy of the type that works by itself."""
    escalation = kind.default_policies.escalation
    if escalation is not None:
        life = _Life(kind)
        life.escalate(escalation)
        yield life.named("It escalates when it is overdue")
    if kind.default_policies.blocking:
        life = _Life(kind)
        life.block()
        for status in (path := _path(kind, kind.initial_status, {*kind.allowed_statuses} - CLOSED)):
            life.go(status)
        if path:
            life.block(ended=True)
        yield life.named("Nothing else of its goal is started before it is done")
    started = _path(kind, kind.initial_status, {*kind.allowed_statuses} - {STARTED})
    if completes_by_result(kind) and (started or kind.initial_status == STARTED):
        life = _Life(kind, "agent")
        for status in started:
            life.go(status)
        life.report()
        yield life.named("The agent's result completes it")


def _path(kind: ActionType, start: str, reached: set[str]) -> list[str]:
    """Return the path to the nearest status not reached yet; open statuses come before closed ones."""
    ways: dict[str, list[str]] = {start: []}
    queue, ends = deque([start]), list[list[str]]()
    while queue:
        status = queue.popleft()
        for after in kind.ways_from(status):
            if after in ways:
                continue
            ways[after] = [*ways[status], after]
            if after not in reached and after not in CLOSED:
                return ways[after]
            if after not in reached:
                ends.append(ways[after])
            queue.append(after)
    return ends[0] if ends else []


class _Life:
    """The steps of one scenario."""

    def __init__(self, kind: ActionType, owner: str | None = None) -> None:
        self._kind = kind
        self._owner = owner or kind.allowed_owners[0]
        self._guard = kind.policy_handlers.completion_guard
        self._confirmed = False
        self._steps: list[dict[str, Any]] = []

    def go(self, to: str) -> None:
        """Add the steps that lead to the next status."""
        completes = to == COMPLETED
        if to in CLOSED and self._owner == "user":
            self._steps.append({"by": "agent", "to": to, "refused": "owner_violation"})
        if not self._confirmed and self._is_confirmed_before(to):
            self._steps.append({"by": self._owner, "to": to, "refused": "confirmation_required"})
            self._steps.append({"by": "user", "confirms": True})
            self._confirmed = True
        step = {"by": self._owner, "to": to}
        if completes and self._guard == "choice_required":
            self._steps += [{**step, "refused": "invalid"}, {**step, "choice": _OPTIONS[0]}]
        else:
            self._steps.append(step)
        if to in CLOSED:
            begin = self._kind.initial_status
            self._steps.append({"by": self._owner, "to": begin, "refused": "illegal_transition"})

    def escalate(self, escalation: EscalationTable) -> None:
        """Add the steps of an action that becomes overdue."""
        if escalation.delay:
            self._steps.append({"overdue": "PT0S"})
        self._steps.append({"overdue": escalation.after, "escalates": escalation.policy})

    def block(self, *, ended: bool = False) -> None:
        """Add the step of another action of the goal, while this one is open or after it."""
        self._steps.append({"other": STARTED, **({} if ended else {"refused": "blocked"})})

    def report(self) -> None:
        """Add the steps of a result that completes the action."""
        if not self._confirmed and self._is_confirmed_before(COMPLETED):
            self._steps.append({"by": "agent", "reports": "done", "becomes": STARTED})
            self._steps.append({"by": "user", "confirms": True})
        self._steps.append({"by": "agent", "reports": "done", "becomes": COMPLETED})

    def named(self, name: str) -> dict[str, Any]:
        """Return the scenario as a fixture with a name."""
        life: dict[str, Any] = {"name": name}
        if self._owner != self._kind.allowed_owners[0]:
            life["owner"] = self._owner
        if self._guard == "choice_required":
            life["metadata"] = {"options": list(_OPTIONS)}
        return {**life, "steps": self._steps}

    def scenario_fixture(self, number: int) -> dict[str, Any]:
        """Return the scenario as a fixture."""
        policies = self._kind.default_policies
        last = [step["to"] for step in self._steps if "to" in step and "refused" not in step][-1]
        life = self.named(f"From {self._kind.initial_status} to {last}")
        if number == 0:
            del life["steps"]
            life["starts"] = {
                "status": self._kind.initial_status,
                "owner": self._owner,
                "requires_confirmation": self._kind.asks_for_confirmation,
                "auto_complete": policies.auto_complete,
                "blocking": policies.blocking,
            }
        return {**life, "steps": self._steps}

    def _is_confirmed_before(self, to: str) -> bool:
        if self._kind.asks_for_approval and to in (STARTED, COMPLETED):
            return True
        if self._owner != "agent":
            return False
        # What is cancelled while others wait for it needs the confirmation as well.
        ends = to == COMPLETED or (to == CANCELLED and self._kind.default_policies.blocking)
        return ends and self._kind.asks_for_confirmation
