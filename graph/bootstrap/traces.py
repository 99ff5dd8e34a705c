"""Traces for OpenTelemetry: a span for each GraphQL operation, each run of a job, and each statement in them.

Spans have names of the schema, of files and of jobs, and codes; no text, no parameter, no id of a record.
They are sent over OTLP/HTTP to the collector that `OTEL_EXPORTER_OTLP_ENDPOINT` names. Without it nothing of
OpenTelemetry is imported.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from prefrontal.graph import __version__
from prefrontal.graph.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from opentelemetry.trace import Span, Tracer

    from prefrontal.graph.config.settings import Settings
    from prefrontal.graph.storage.queries import Query

_NANO = 1_000_000_000
_PROPAGATED = ("traceparent", "tracestate")


class SpanEnd(Protocol):
    """What is called once it is known how something went."""

    def __call__(self, name: str, outcome: str, **attributes: str | int) -> None:
        """Name the span and say its outcome; `failed` is an error."""


class Traces:
    """Makes spans and sends them."""

    def __init__(self, endpoint: str) -> None:
        """Send spans to the collector at an address, from a thread, in batches.

        The other variables of OpenTelemetry count too: headers, certificates, sampling, the service's name.

        Raises:
            SettingsError: If the packages are not installed.
        """
        try:
            from opentelemetry import trace  # noqa: PLC0415
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
            from opentelemetry.sdk.resources import OTELResourceDetector, Resource  # noqa: PLC0415
            from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
            from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
            from opentelemetry.trace.propagation.tracecontext import (  # noqa: PLC0415
                TraceContextTextMapPropagator,
            )
        except ImportError as error:
            raise SettingsError(
                "OTEL_EXPORTER_OTLP_ENDPOINT needs the packages of traces: pip install 'prefrontal[traces]', "
                "or unset it"
            ) from error
        ours = Resource({"service.name": "prefrontal", "service.version": __version__})
        self._provider = TracerProvider(
            resource=ours.merge(OTELResourceDetector().detect()), shutdown_on_exit=False
        )
        exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer: Tracer = self._provider.get_tracer("prefrontal", __version__)
        self._propagator = TraceContextTextMapPropagator()
        self._trace = trace

    @contextmanager
    def operation(self, headers: Mapping[str, str]) -> Iterator[SpanEnd]:
        """Give a span for a GraphQL operation, below the one that the client's `traceparent` names."""
        given = {name: headers[name] for name in _PROPAGATED if name in headers}
        with self._span("graphql", self._trace.SpanKind.SERVER, self._propagator.extract(given)) as ended:
            yield ended

    @contextmanager
    def job(self, name: str) -> Iterator[SpanEnd]:
        """Give a span for a run of a job."""
        with self._span(f"job {name}", self._trace.SpanKind.INTERNAL) as ended:
            yield ended

    @contextmanager
    def _span(self, name: str, kind: Any, context: Any = None) -> Iterator[SpanEnd]:
        with self._tracer.start_as_current_span(
            name,
            context,
            kind,
            # An exception may quote contents.
            record_exception=False,
            set_status_on_exception=False,
        ) as span:

            def ended(name: str, outcome: str, **attributes: str | int) -> None:
                span.update_name(name)
                span.set_attributes({"prefrontal.outcome": outcome, **attributes})
                self._mark(span, failed=outcome == "failed")

            try:
                yield ended
            except BaseException:
                self._mark(span, failed=True)
                raise

    def _mark(self, span: Span, *, failed: bool) -> None:
        if failed:
            span.set_status(self._trace.StatusCode.ERROR)

    def observe_query(self, query: Query, seconds: float, *, failed: bool) -> None:
        """Make the span of a statement that has ended, if it belongs to another one; a `QueryObserver`."""
        if not self._trace.get_current_span().is_recording():
            # Of a look that nobody asked for: there is one every second.
            return
        now = time.time_ns()
        span = self._tracer.start_span(
            query.name,
            kind=self._trace.SpanKind.CLIENT,
            start_time=now - round(seconds * _NANO),
            attributes={
                "db.system.name": "neo4j",
                "db.query.summary": query.name,
                "prefrontal.mode": query.mode.value,
            },
        )
        self._mark(span, failed=failed)
        span.end(now)

    def close(self) -> None:
        """Send what is left and end the thread; it blocks, for as long as the exporter's deadline."""
        self._provider.shutdown()


def traces_of(settings: Settings) -> Traces | None:
    """Return what makes traces, or None if the settings name no collector.

    Raises:
        SettingsError: If the packages are not installed.
    """
    return Traces(settings.otlp_endpoint) if settings.otlp_endpoint else None
