"""`GET /events`: events as server-sent events, one CloudEvent in each.

request                     answer
types=goal.created,…        only these kinds; a kind that there is not is refused (400)
consumer=…                  first the events behind the place that this consumer of yours has acknowledged
Last-Event-ID, or after=…   first the events behind that place; without it, those from now on
Authorization               as for GraphQL; never in the address

in the stream               means
id, event, data             the place, the kind, and the CloudEvent as JSON
a comment                   the stream has begun, or is alive
event: end                  why the stream ends: a code and a message, as in an error
"""

from __future__ import annotations

import json
from contextlib import aclosing
from typing import TYPE_CHECKING

import structlog
from starlette.responses import StreamingResponse
from starlette.routing import Route

from prefrontal.api.middleware import error_response
from prefrontal.graph.errors import (
    Forbidden,
    InvalidInput,
    PrefrontalError,
    RateLimited,
    TimedOut,
    Unauthenticated,
    Unavailable,
)
from prefrontal.graph.journal.commits import reported_read_error
from prefrontal.graph.journal.record import EventType
from prefrontal.graph.outbox.cloud_event import cloud_event_json
from prefrontal.graph.outbox.service import MOST_PLACES

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from starlette.requests import Request
    from starlette.responses import Response

    from prefrontal.api.auth import Tokens
    from prefrontal.api.issuer import IssuerTokens
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.outbox.record import PublishedEvent

log = structlog.get_logger(__name__)

_STATUS: dict[type[PrefrontalError], int] = {
    Unauthenticated: 401,
    Forbidden: 403,
    RateLimited: 429,
    Unavailable: 503,
    TimedOut: 503,
}
_BAD_REQUEST = 400
_HEADERS = {
    "Cache-Control": "no-store",
    # A proxy that collects the answer would keep the events.
    "X-Accel-Buffering": "no",
}
_BEGUN = b"retry: 1000\n: begun\n\n"
_ALIVE = b": alive\n\n"


def event_routes(services: Services, tokens: Tokens | IssuerTokens) -> list[Route]:
    async def events(request: Request) -> Response:
        header = request.headers.get("authorization")

        async def who() -> Caller:
            return await services.access.caller(await tokens.principal(header))

        try:
            # Who may not ask is told nothing else.
            await tokens.principal(header)
            following = services.outbox.streams.follow(
                who,
                after=_after(request),
                types=_types(request),
                consumer=request.query_params.get("consumer"),
            )
            # Until the first item a problem has a status of its own.
            await anext(following)
        except PrefrontalError as error:
            shown = reported_read_error(error)
            services.metrics.problems.labels(shown.code).inc()
            return error_response(shown, _STATUS.get(type(error), _BAD_REQUEST))
        return StreamingResponse(_lines(following), media_type="text/event-stream", headers=_HEADERS)

    return [Route("/events", events)]


async def _lines(following: AsyncGenerator[PublishedEvent | None, None]) -> AsyncGenerator[bytes, None]:
    """Yield the stream's text; it ends in the reason, if there is one."""
    yield _BEGUN
    async with aclosing(following):
        try:
            async for event in following:
                yield _ALIVE if event is None else _line(event)
        except PrefrontalError as error:
            shown = reported_read_error(error)
            log.info("stream_ended", code=shown.code)
            reason = json.dumps({"code": shown.code, "message": shown.message})
            yield f"event: end\ndata: {reason}\n\n".encode()


def _line(event: PublishedEvent) -> bytes:
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (
        event.seq,
        event.type.value.encode(),
        cloud_event_json(event),
    )


def _after(request: Request) -> int | None:
    """Return the place to go on behind: that of the header, with which a browser connects again.

    Raises:
        InvalidInput: If it is no place.
    """
    named = request.headers.get("last-event-id") or request.query_params.get("after")
    if not named:
        return None
    if not (named.isascii() and named.isdigit()) or int(named[:20]) > MOST_PLACES:
        raise InvalidInput("the `id` of an event of this stream", field="after")
    return int(named)


def _types(request: Request) -> list[EventType] | None:
    """Return the kinds of events that are asked for.

    Raises:
        InvalidInput: If there is no such kind.
    """
    named = [name.strip() for text in request.query_params.getlist("types") for name in text.split(",")]
    wanted = list(dict.fromkeys(filter(None, named)))
    if not wanted:
        return None
    try:
        return [EventType(name) for name in wanted]
    except ValueError as error:
        raise InvalidInput("no such kind of event; one is `goal.created`", field="types") from error
