"""Metrics of the outbox: what waits for the relay, and what it has stamped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.outbox.record import Backlog


class OutboxMetrics:
    """What the relay does; no organisation is a label, because everybody who reaches the port reads them."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Create all metrics at zero."""
        self._backlog = Gauge(
            "prefrontal_outbox_backlog",
            "Events that wait for the relay, at its last look; counted up to a bound.",
            registry=registry,
        )
        self._lag = Gauge(
            "prefrontal_outbox_lag_seconds",
            "Age of the oldest event that waits for the relay, at its last look.",
            registry=registry,
        )
        self._stamped = Counter(
            "prefrontal_outbox_stamped_total",
            "Events that the relay of this process gave their order.",
            registry=registry,
        )

    def waiting(self, backlog: Backlog, now: datetime) -> None:
        """Set what waits now."""
        self._backlog.set(backlog.waiting)
        # The clock of another process may be ahead.
        self._lag.set(max(0.0, (now - backlog.since).total_seconds()) if backlog.since else 0)

    def stamped(self, number: int) -> None:
        """Count stamped events."""
        self._stamped.inc(number)
