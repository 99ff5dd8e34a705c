"""Metrics of working memory, with the names of source 002 §9.1.

Counters follow committed changes: a repeated request or a second attempt of a transaction counts nothing. The
gauges are what the job `measure_sessions` read last: a scrape reads no database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import structlog
from prometheus_client import Counter, Gauge
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from prefrontal.graph.journal.record import EventType, TraceKind
from prefrontal.graph.sessions.record import EvictionReason, OperationResult

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from prometheus_client import CollectorRegistry

    from prefrontal.graph.journal.record import Change
    from prefrontal.graph.sessions.monitoring_record import ActiveSessions

log = structlog.get_logger(__name__)

OTHER: Final = "other"
"""The label of every session type that the registry does not name: clients choose types, and all see them."""
ACCEPT: Final = "accept"
REJECT: Final = "reject"


class AdmissionDecisions(Collector):
    """A counter whose name has no `_total`, as the source names it; the client library would add it."""

    name = "working_memory_admission_decisions"

    def __init__(self) -> None:
        """Start at zero."""
        self._counts = dict.fromkeys((ACCEPT, REJECT), 0)

    def add(self, outcome: str) -> None:
        """Count a decision."""
        self._counts[outcome] += 1

    def collect(self) -> Iterable[Metric]:
        """Return the numbers."""
        metric = Metric(
            self.name, "Decisions whether an item is admitted to a session: accept, reject.", "unknown"
        )
        for outcome, number in self._counts.items():
            metric.add_sample(self.name, {"outcome": outcome}, number)
        yield metric


class SessionMetrics:
    """What sessions admit, evict and hold."""

    def __init__(self, registry: CollectorRegistry, known_type: Callable[[str], bool]) -> None:
        """Create all metrics at zero.

        Args:
            registry: Where they are collected.
            known_type: Returns whether the registry's files name a session type; all others are counted
                together as `other`.
        """
        self._known_type = known_type
        self._labels: set[str] = set()
        self.decisions = AdmissionDecisions()
        registry.register(self.decisions)
        self.evictions = Counter(
            "working_memory_evictions_total",
            "Items that left a session, by reason.",
            ("reason",),
            registry=registry,
        )
        for reason in EvictionReason:
            self.evictions.labels(reason.value)
        self.items = Gauge(
            "working_memory_items_total",
            "Items that active sessions hold, by type of the session, at the last run of the job.",
            ("session_type",),
            registry=registry,
        )
        self.utilization = Gauge(
            "working_memory_capacity_utilization",
            "Items that active sessions hold / their capacity, 0-1, at the last run of the job.",
            registry=registry,
        )
        self.coherence = Gauge(
            "working_memory_session_coherence",
            "Mean coherence of the active sessions that hold something, 0-1, at the last run of the job; NaN "
            "if none does.",
            registry=registry,
        )
        self.coherence.set(float("nan"))

    def changed(self, change: Change) -> None:
        """Count the decisions and evictions of a committed change; say an emergency in the log."""
        for trace in change.traces:
            if trace.kind is TraceKind.WORKING_MEMORY_REJECTED:
                self.decisions.add(REJECT)
        emergencies: dict[str, int] = {}
        for event in change.events:
            if event.type is EventType.WORKING_MEMORY_UPDATED:
                if event.data.get("operation_result") == OperationResult.ADDED.value:
                    self.decisions.add(ACCEPT)
            elif event.type is EventType.WORKING_MEMORY_EVICTED:
                self.evictions.labels(event.data["reason"]).inc()
                if event.data["reason"] == EvictionReason.EMERGENCY.value:
                    emergencies[event.aggregate] = emergencies.get(event.aggregate, 0) + 1
        for session, number in emergencies.items():
            log.warning("emergency_eviction", session=session, items=number)

    def record_active(self, found: Iterable[ActiveSessions]) -> None:
        """Set what active sessions hold now, by their types."""
        rows = list(found)
        items: dict[str, int] = {}
        for row in rows:
            label = row.session_type if self._known_type(row.session_type) else OTHER
            items[label] = items.get(label, 0) + row.items
        # A type that no active session has any more holds nothing.
        self._labels |= items.keys()
        for label in self._labels:
            self.items.labels(label).set(items.get(label, 0))
        places, filled = sum(row.places for row in rows), sum(row.filled for row in rows)
        self.utilization.set(sum(row.items for row in rows) / places if places else 0)
        self.coherence.set(sum(row.coherence for row in rows) / filled if filled else float("nan"))
