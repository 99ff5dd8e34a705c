"""Prometheus metrics of one process, in their own collector registry instead of the global one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from prefrontal.graph.bootstrap.database_metrics import DatabaseMetrics
from prefrontal.graph.bootstrap.outbox_metrics import OutboxMetrics
from prefrontal.graph.bootstrap.session_metrics import SessionMetrics
from prefrontal.graph.journal.record import Event, EventType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from prefrontal.graph.journal.record import Change
    from prefrontal.graph.storage.queries import Query

log = structlog.get_logger(__name__)

_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)


OTHER = "other"
"""The label of every action type that is not defined in the registry's files.

The names of an organisation's own types are unbounded in number and private, and everybody who can reach
`/metrics` can read them. An operator who wants such a type counted separately adds it to the registry's
files.
"""


class Metrics:
    """The metrics: statements by query name, requests by route, items of jobs, actions by type."""

    def __init__(
        self,
        known_type: Callable[[str], bool] = lambda _: False,
        known_session_type: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """Create all metrics at zero.

        Args:
            known_type: Returns whether the registry's files define an action type; all other types are
                counted together as `other`.
            known_session_type: The same for types of sessions.
        """
        self._known_type = known_type
        self.registry = CollectorRegistry()
        self.actions = Counter(
            "prefrontal_actions_total",
            "Events of pending actions, by type: created, completed, cancelled, failed, due, escalated.",
            ("type", "event"),
            registry=self.registry,
        )
        self.action_errors = Counter(
            "prefrontal_action_errors_total",
            "Refused changes of pending actions, by type and the code of the problem.",
            ("type", "code"),
            registry=self.registry,
        )
        self.turn_phases = Histogram(
            "prefrontal_turn_phase_seconds",
            "Duration of a phase of a turn's commit.",
            ("phase",),
            registry=self.registry,
            buckets=_SECONDS,
        )
        self.turn_stores = Counter(
            "prefrontal_turn_stores_total",
            "Parts of turns' commits by store, and what became of them: committed, pending, escalated.",
            ("store", "status"),
            registry=self.registry,
        )
        self.overdue = Gauge(
            "prefrontal_actions_overdue",
            "Open pending actions whose due time has passed, by type, at the last run of the job.",
            ("type",),
            registry=self.registry,
        )
        self.queries = Histogram(
            "prefrontal_query_seconds",
            "Duration of a statement until its last row.",
            ("query", "mode", "outcome"),
            registry=self.registry,
            buckets=_SECONDS,
        )
        self.requests = Histogram(
            "prefrontal_request_seconds",
            "Duration of an HTTP request.",
            ("route", "status"),
            registry=self.registry,
            buckets=_SECONDS,
        )
        self.operations = Histogram(
            "prefrontal_operation_seconds",
            "Duration of a GraphQL operation, by its root field; one with several root fields is `several`.",
            ("operation", "kind", "outcome"),
            registry=self.registry,
            buckets=_SECONDS,
        )
        self.problems = Counter(
            "prefrontal_problems_total",
            "Problems returned to clients, by code.",
            ("code",),
            registry=self.registry,
        )
        self.jobs = Counter(
            "prefrontal_job_items_total",
            "Items that periodic jobs processed.",
            ("job",),
            registry=self.registry,
        )
        self.accesses = Counter(
            "prefrontal_working_memory_accesses_total",
            "Deliveries of items of working memory: written as accesses, or dropped as too many to remember.",
            ("outcome",),
            registry=self.registry,
        )
        self.access_log = Counter(
            "prefrontal_working_memory_access_log_total",
            "Entries of the access log of sessions: written, or dropped as too many to remember.",
            ("outcome",),
            registry=self.registry,
        )
        self.sessions = SessionMetrics(self.registry, known_session_type)
        self.outbox = OutboxMetrics(self.registry)
        self.database = DatabaseMetrics(self.registry)
        self.registry_loads = Counter(
            "prefrontal_registry_loads_total",
            "Changed registry files that were loaded or refused.",
            ("outcome",),
            registry=self.registry,
        )
        self.registry_refused = Gauge(
            "prefrontal_registry_refused",
            "1 while the registry's files are wrong and the earlier action types stay in force.",
            registry=self.registry,
        )

    def observe_query(self, query: Query, seconds: float, *, failed: bool) -> None:
        """Count a statement and log it at level debug; a `QueryObserver`."""
        outcome = "failed" if failed else "ok"
        self.queries.labels(query.name, query.mode.value, outcome).observe(seconds)
        log.debug("query", query=query.name, ms=round(seconds * 1000, 2), outcome=outcome)

    def job_done(self, name: str, done: int) -> None:
        """Add the number of items that a run of a job processed."""
        self.jobs.labels(name).inc(done)

    def accesses_counted(self, outcome: str, number: int) -> None:
        """Add deliveries of items of working memory that were `written` or `dropped`."""
        self.accesses.labels(outcome).inc(number)

    def access_logged(self, outcome: str, number: int) -> None:
        """Add entries of the access log that were `written` or `dropped`."""
        self.access_log.labels(outcome).inc(number)

    def changed(self, change: Change) -> None:
        """Count what a committed change did to pending actions and sessions."""
        self.sessions.changed(change)
        for event in change.events:
            label = _event_label(event)
            if label is not None:
                self.actions.labels(self._type(event.data.get("type")), label).inc()

    def action_refused(self, action_type: str | None, code: str) -> None:
        """Count a refused change of a pending action."""
        self.action_errors.labels(self._type(action_type), code).inc()

    def turn_phase(self, phase: str, seconds: float) -> None:
        """Count the duration of a phase of a commit."""
        self.turn_phases.labels(phase).observe(seconds)

    def turn_store(self, store: str, status: str) -> None:
        """Count what became of the part of a commit that goes to a store."""
        self.turn_stores.labels(store, status).inc()

    def actions_overdue(self, found: Mapping[str, int]) -> None:
        """Set how many actions of each type are overdue."""
        counted: dict[str, int] = {}
        for name, number in found.items():
            label = self._type(name)
            counted[label] = counted.get(label, 0) + number
        for label, number in counted.items():
            self.overdue.labels(label).set(number)

    def _type(self, name: object) -> str:
        return name if isinstance(name, str) and self._known_type(name) else OTHER

    def registry_loaded(self, right: bool) -> None:  # noqa: FBT001 - the only argument
        """Count changed registry files that were loaded (`right`) or refused."""
        self.registry_loads.labels("loaded" if right else "refused").inc()
        self.registry_refused.set(0 if right else 1)

    def text(self) -> bytes:
        """Return everything in Prometheus' text format."""
        return generate_latest(self.registry)


_ACTION_EVENTS = {
    EventType.PENDING_ACTION_CREATED: "created",
    EventType.PENDING_ACTION_DUE: "due",
    EventType.PENDING_ACTION_FAILED: "failed",
    EventType.PENDING_ACTION_ESCALATED: "escalated",
}
_CLOSED = ("completed", "cancelled")


def _event_label(event: Event) -> str | None:
    """Return the metric label of an event of a pending action, or None when it is not counted."""
    status = event.data.get("status")
    transitioned = event.type is EventType.PENDING_ACTION_TRANSITIONED
    # An update that supplies the action's result sets its status as well.
    transitioned |= event.type is EventType.PENDING_ACTION_UPDATED and "status" in event.data.get(
        "fields", ()
    )
    return str(status) if transitioned and status in _CLOSED else _ACTION_EVENTS.get(event.type)
