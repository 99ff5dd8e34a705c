"""Prometheus metrics, in a registry of their own per process and no global one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

if TYPE_CHECKING:
    from graph.storage.queries import Query

log = structlog.get_logger(__name__)

_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)


class Metrics:
    """What is counted: statements by query name, requests by route, and what jobs did."""

    def __init__(self) -> None:
        """Start at zero."""
        self.registry = CollectorRegistry()
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
        self.problems = Counter(
            "prefrontal_problems_total",
            "Problems given to clients, by code.",
            ("code",),
            registry=self.registry,
        )
        self.jobs = Counter(
            "prefrontal_job_items_total",
            "Items that periodic jobs worked off.",
            ("job",),
            registry=self.registry,
        )
        self.registry_loads = Counter(
            "prefrontal_registry_loads_total",
            "Changes of the registry that were put in force or refused.",
            ("outcome",),
            registry=self.registry,
        )
        self.registry_refused = Gauge(
            "prefrontal_registry_refused",
            "1 while the registry's files are wrong and older types stay in force.",
            registry=self.registry,
        )

    def observe_query(self, query: Query, seconds: float, *, failed: bool) -> None:
        """Count a statement and trace it at level debug; a `QueryObserver`."""
        outcome = "failed" if failed else "ok"
        self.queries.labels(query.name, query.mode.value, outcome).observe(seconds)
        log.debug("query", query=query.name, ms=round(seconds * 1000, 2), outcome=outcome)

    def job_done(self, name: str, done: int) -> None:
        """Count what a run of a job did."""
        self.jobs.labels(name).inc(done)

    def registry_loaded(self, right: bool) -> None:  # noqa: FBT001 - the one thing that is told
        """Count a change of the registry that was put in force, or refused."""
        self.registry_loads.labels("loaded" if right else "refused").inc()
        self.registry_refused.set(0 if right else 1)

    def text(self) -> bytes:
        """Return everything in Prometheus' text format."""
        return generate_latest(self.registry)
