"""Metrics of the outbox: what waits for the relay and the publisher, and what they have done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge

from prefrontal.graph.outbox.publisher import CONSUMER

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.outbox.publisher import Round
    from prefrontal.graph.outbox.record import Backlog, UnpublishedBacklog


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
        self._unpublished = Gauge(
            "prefrontal_publisher_backlog",
            "Events that the broker lacks, at the publisher's last look.",
            registry=registry,
        )
        self._publisher_lag = Gauge(
            "prefrontal_publisher_lag_seconds",
            "Age of the oldest event that the broker lacks, at the publisher's last look.",
            registry=registry,
        )
        self._published = Counter(
            "prefrontal_published_total",
            "Events that the publisher of this process sent to the broker.",
            registry=registry,
        )
        self._failures = Counter(
            "prefrontal_publish_failures_total",
            "Rounds that the broker was away in, and events that it refused.",
            ["reason"],
            registry=registry,
        )
        for reason in ("away", "refused"):
            self._failures.labels(reason)
        self._dead = Gauge(
            "prefrontal_dead_letters",
            "Events that no broker takes, at the publisher's last look; counted up to a bound.",
            ["consumer"],
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

    def unpublished(self, found: UnpublishedBacklog, now: datetime) -> None:
        """Set what the broker lacks now."""
        self._unpublished.set(found.waiting)
        self._publisher_lag.set(max(0.0, (now - found.since).total_seconds()) if found.since else 0)
        self._dead.labels(CONSUMER).set(found.dead)

    def published(self, done: Round) -> None:
        """Count what a round has sent, and what failed."""
        self._published.inc(done.sent)
        self._failures.labels("refused").inc(done.refused)
        if done.away:
            self._failures.labels("away").inc()
