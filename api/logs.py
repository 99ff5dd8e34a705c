"""Structured logs on standard error, as text or as JSON; they contain neither contents nor secrets.

what is logged           how it is kept out
contents of memories     no line is given any; of an unexpected error the traceback and the type are logged,
                         and the message only of types whose messages quote no values
secrets                  tokens, passwords in addresses, and the secrets that this process knows are replaced
lines of libraries       get the same form and the same treatment, and only their first line is kept
"""

from __future__ import annotations

import logging
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

import structlog

if TYPE_CHECKING:
    from types import TracebackType

    from pydantic import SecretStr
    from structlog.typing import EventDict

    from prefrontal.graph.config.settings import Settings

HIDDEN: Final = "[hidden]"

_SECRETS: set[str] = set()
_LEAST_SECRET = 8
_LOOKS_SECRET = re.compile(
    # A JWT, also one that was cut off; what stands behind `Bearer`; user and password of an address.
    r"eyJ[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*){0,2}|(?<=Bearer )\S+|(?<=://)[^\s/@]+(?=@)",
)


def hide(*secrets: str | SecretStr | None) -> None:
    """Replace these secrets wherever they would be logged; too short ones could not be told from words."""
    for secret in secrets:
        text = secret if isinstance(secret, str) or secret is None else secret.get_secret_value()
        if text is not None and len(text) >= _LEAST_SECRET:
            _SECRETS.add(text)


def configure_logs(settings: Settings) -> None:
    """Set up logging for this process: JSON lines or coloured console lines on standard error."""
    hide(settings.neo4j_password, settings.jwt_secret, settings.jwt_secret_before)
    level = getattr(logging, settings.log_level.upper())
    renderer: Any = (
        structlog.processors.JSONRenderer()
        if settings.log_format == "json"
        # The traceback is a text already: the default formatter would print the local variables of frames.
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, format_exception, redacted, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, _first_line],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                format_exception,
                redacted,
                renderer,
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=max(level, logging.WARNING), force=True)
    # The driver logs every notification of the server; relevant ones are raised as errors anyway.
    logging.getLogger("neo4j").setLevel(logging.ERROR)


def _first_line(_: Any, __: str, event: EventDict) -> EventDict:
    """Keep the first line of what a library says: asyncio, e.g., quotes the exception in the next ones."""
    event["event"] = str(event["event"]).partition("\n")[0]
    return event


def redacted(_: Any, __: str, event: EventDict) -> EventDict:
    """Replace secrets in a line; a processor of structlog."""
    return {name: _without_secrets(value) for name, value in event.items()}


def _without_secrets(value: Any) -> Any:
    if isinstance(value, str):
        for secret in _SECRETS:
            value = value.replace(secret, HIDDEN)
        return _LOOKS_SECRET.sub(HIDDEN, value)
    if isinstance(value, dict):
        return {_without_secrets(name): _without_secrets(each) for name, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_without_secrets(each) for each in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    return _without_secrets(str(value))


_SAFE_MESSAGES: Final = (
    AttributeError,
    NameError,
    ImportError,
    NotImplementedError,
    RecursionError,
    MemoryError,
)
"""The exceptions whose messages name code and never quote a value."""


def format_exception(_: Any, __: str, event: EventDict) -> EventDict:
    """Put the traceback of an exception into its line, without what the exception says of values."""
    given = event.pop("exc_info", None)
    if given is True:
        given = sys.exc_info()[1]
    error = given[1] if isinstance(given, tuple) else given
    if isinstance(error, BaseException):
        event["exception"] = "\n".join(_chained_lines(error, seen=set()))
    return event


def _chained_lines(error: BaseException, seen: set[int]) -> Iterator[str]:
    seen.add(id(error))
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None and id(before) not in seen:
        yield from _chained_lines(before, seen)
        yield "… then:"
    yield from _frames(error.__traceback__)
    yield f"{type(error).__module__}.{type(error).__qualname__}{_loggable_detail(error)}"
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            if id(each) not in seen:
                yield "… one of them:"
                yield from _chained_lines(each, seen)


def _frames(trace: TracebackType | None) -> list[str]:
    return [line.rstrip("\n") for line in traceback.format_tb(trace)]


def _loggable_detail(error: BaseException) -> str:
    """Return what may be logged of an exception beside its type."""
    if isinstance(error, _SAFE_MESSAGES):
        return f": {error}"
    if isinstance(error, OSError) and error.errno is not None:
        return f": errno {error.errno}"
    # The code of an error of ours, or of the database.
    code = getattr(error, "code", None)
    return f": {code}" if isinstance(code, str) else ""


_QUERIES: ContextVar[list[dict[str, Any]] | None] = ContextVar("queries", default=None)


@contextmanager
def collected_queries() -> Iterator[list[dict[str, Any]]]:
    """Collect what a request asks of working memory, for its log line: what `log_query` is called with."""
    queries: list[dict[str, Any]] = []
    token = _QUERIES.set(queries)
    try:
        yield queries
    finally:
        _QUERIES.reset(token)


def log_query(query_type: str, **ids: str | None) -> None:
    """Put a query of working memory, with the ids that the client gave it, into the line of its request."""
    # Fields run in tasks of their own, which have the list of the request.
    queries = _QUERIES.get()
    if queries is not None:
        said = {name: None if value is None else one_line(value) for name, value in ids.items()}
        queries.append({"query_type": query_type, **said})


def one_line(text: str) -> str:
    """Return a client's text for a log line: what is not printed is escaped, so that it forges no line."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
