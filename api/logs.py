"""Logs: structured, on standard error, for people or as JSON; never the content of a memory."""

from __future__ import annotations

import logging
import sys
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
            # The default one prints the local variables of every frame: contents, tokens, passwords.
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
    # The driver repeats every server notice; what matters is raised as an error.
    logging.getLogger("neo4j").setLevel(logging.ERROR)
