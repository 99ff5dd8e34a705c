"""Metrics of the database: transactions that ran again, and connections."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from prometheus_client import Counter
from prometheus_client.core import GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from prefrontal.graph.storage.pool import BOUNDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from prometheus_client import CollectorRegistry
    from prometheus_client.core import Metric

    from prefrontal.graph.storage.pool import Pool


class DatabaseMetrics(Collector):
    """What happens between this process and the database, beside the statements themselves."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Create all metrics at zero."""
        self._pool: Pool | None = None
        self._most = 0
        self._retries = Counter(
            "prefrontal_transaction_retries_total",
            "Transactions that ran once more, by why the run before failed: deadlock, outrun, connection, "
            "commit, busy, plan, other.",
            ("mode", "cause"),
            registry=registry,
        )
        registry.register(self)

    def watch(self, pool: Pool, most: int) -> None:
        """Tell of a pool from now on, which has at most so many connections."""
        self._pool, self._most = pool, most

    def retried(self, mode: str, cause: str) -> None:
        """Count a transaction that runs once more."""
        self._retries.labels(mode, cause).inc()

    def collect(self) -> Iterable[Metric]:
        """Return the numbers of the pool as they are now."""
        pool = self._pool
        connections = GaugeMetricFamily(
            "prefrontal_database_connections",
            "Connections to the database: in use, idle, and the most there may be.",
            labels=("state",),
        )
        waiting = GaugeMetricFamily(
            "prefrontal_database_waiting", "Transactions that wait for a connection to the database."
        )
        waits = HistogramMetricFamily(
            "prefrontal_database_wait_seconds", "How long transactions waited for a connection."
        )
        if pool is not None:
            for state, number in (("in_use", pool.in_use), ("idle", pool.idle), ("most", self._most)):
                connections.add_metric((state,), number)
            waiting.add_metric((), pool.waiting)
            bounds = (*(str(bound) for bound in BOUNDS), "+Inf")
            waits.add_metric((), list(zip(bounds, accumulate(pool.waits), strict=True)), pool.seconds)
        return (connections, waiting, waits)
