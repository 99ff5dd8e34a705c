"""Middleware of every request: a limit on the body, security headers, a log line and a metric."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from typing import TYPE_CHECKING, Any

import structlog
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse

from prefrontal.api.logs import collected_queries
from prefrontal.graph.errors import InvalidInput, PrefrontalError, RateLimited, TooLarge
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from prefrontal.graph.bootstrap.metrics import Metrics

log = structlog.get_logger(__name__)


class _AsciiResponse(JSONResponse):
    """JSON in ASCII, so that a lone surrogate in a message does not cause an encoding error."""

    def render(self, content: object) -> bytes:
        return json.dumps(content, separators=(",", ":")).encode("ascii")


def error_response(error: PrefrontalError, status: int) -> Response:
    """Return the response for an error before GraphQL ran, in the form of a GraphQL error."""
    body = {"errors": [{"message": error.message, "extensions": error.extensions}]}
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}  # noqa: PLR2004
    if isinstance(error, RateLimited):
        headers["Retry-After"] = str(error.retry_after)
    return _AsciiResponse(body, status, headers=headers)


class _BodyTooLarge(Exception):
    pass


class BodyLimit:
    """Refuses request bodies that are too large, by Content-Length and by bytes received, or too slow."""

    def __init__(self, app: ASGIApp, most: int, seconds: float) -> None:
        self._app = app
        self._most = most
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 413 or 408."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        seen = 0
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if announced.isdigit() and int(announced) > self._most:
            await self._refusal()(scope, receive, send)
            return
        started = complete = False
        latest = asyncio.get_running_loop().time() + self._seconds

        async def limited() -> Message:
            nonlocal seen, complete
            # What comes after the body is the end of the connection, which is not waited for by a clock.
            async with asyncio.timeout_at(None if complete else latest):
                message = await receive()
            complete = not message.get("more_body", False)
            seen += len(message.get("body", b""))
            if seen > self._most:
                raise _BodyTooLarge
            return message

        async def watched(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, limited, watched)
        except _BodyTooLarge:
            if not started:
                await self._refusal()(scope, receive, send)
        except TimeoutError:
            if complete or started:
                raise
            late = InvalidInput(f"a request body has to arrive within {counted(self._seconds, 'second')}")
            response = error_response(late, 408)
            response.headers["Connection"] = "close"
            await response(scope, receive, send)

    def _refusal(self) -> Response:
        error = TooLarge(f"a request body has at most {counted(self._most, 'byte')}; split the request")
        return error_response(error, 413)


_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
]


_CLIENT_GONE = 499
"""The status in the log and in the metric for a client that went away; nothing is sent."""


class Observe:
    """Adds an id, a log line and a metric to every request, and security headers to every response."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, then log and count its outcome."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        request_id = secrets.token_hex(8)
        status = 0
        structlog.contextvars.bind_contextvars(request_id=request_id)

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [
                    *message["headers"],
                    *_HEADERS,
                    (b"x-request-id", request_id.encode()),
                ]
            await send(message)

        queries: list[dict[str, Any]] = []
        try:
            with collected_queries() as queries:
                await self._app(scope, receive, watched)
        except ClientDisconnect:
            # The client has gone before its request had arrived: nobody waits for an answer.
            status = status or _CLIENT_GONE
        except Exception:
            log.exception("defect", route=_route(scope))
            if status:
                raise  # the response has begun; the server closes the connection
            await error_response(PrefrontalError("internal error"), 500)(scope, receive, watched)
        finally:
            seconds = time.perf_counter() - started
            route = _route(scope)
            self._metrics.requests.labels(route, str(status)).observe(seconds)
            log.info(
                "request",
                method=scope["method"],
                route=route,
                status=status,
                ms=round(seconds * 1000, 1),
                **({"working_memory_queries": queries} if queries else {}),
            )
            structlog.contextvars.unbind_contextvars("request_id")


def _route(scope: Scope) -> str:
    """Return the route's pattern, not the path: clients choose paths, so paths are unbounded labels."""
    route = scope.get("route")
    if route is not None:
        return str(getattr(route, "path", "other"))
    endpoint = scope.get("endpoint")
    return getattr(endpoint, "route_name", "other") if endpoint is not None else "other"
