"""Structured logs on standard error, as text or as JSON; they never contain the content of a memory."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import structlog

if TYPE_CHECKING:
    from prefrontal.graph.config.settings import Settings


def configure_logs(settings: Settings) -> None:
    """Set up logging for this process: JSON lines or coloured console lines on standard error."""
    level = getattr(logging, settings.log_level.upper())
    renderer: Any = (
        structlog.processors.JSONRenderer()
        if settings.log_format == "json"
        else structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(),
            # The default formatter prints local variables of every frame: contents, tokens, passwords.
            exception_formatter=structlog.dev.plain_traceback,
        )
    )
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.processors.format_exc_info, renderer]
        if settings.log_format == "json"
        else [*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=False,
    )
    # The driver logs every notification of the server; relevant ones are raised as errors anyway.
    logging.getLogger("neo4j").setLevel(logging.ERROR)


_QUERIES: ContextVar[list[dict[str, Any]] | None] = ContextVar("queries", default=None)


@contextmanager
def collected_queries() -> Iterator[list[dict[str, Any]]]:
    """Collect what a request asks of working memory, for its log line: what `query_asked` is called with."""
    queries: list[dict[str, Any]] = []
    token = _QUERIES.set(queries)
    try:
        yield queries
    finally:
        _QUERIES.reset(token)


def query_asked(query_type: str, **ids: str | None) -> None:
    """Put a query of working memory, with the ids that the client gave it, into the line of its request."""
    # Fields run in tasks of their own, which have the list of the request.
    queries = _QUERIES.get()
    if queries is not None:
        said = {name: None if value is None else one_line(value) for name, value in ids.items()}
        queries.append({"query_type": query_type, **said})


def one_line(text: str) -> str:
    """Return a client's text for a log line: what is not printed is escaped, so that it forges no line."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
