"""GraphQL over HTTP: the token is verified before the body is parsed, and every error response is JSON.

media type                         status of a readable GraphQL request
application/json                   always 200
application/graphql-response+json  200, or 400 if the operation could not be executed at all; used only
                                   if the client accepts it
"""

from __future__ import annotations

import asyncio
import time
from contextlib import nullcontext
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import structlog
from cross_web import HTTPException, StarletteRequestAdapter
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from strawberry.asgi import GraphQL
from strawberry.exceptions import ConnectionRejectionError
from strawberry.subscriptions import GRAPHQL_TRANSPORT_WS_PROTOCOL

from prefrontal.api.bookmarks import EXTENSION, HEADER, Bookmarks
from prefrontal.api.graphql.http import BAD_REQUEST, GRAPHQL, JSON, answer_type, refusal_of
from prefrontal.api.graphql.operation import is_mutation, label_of, root_fields
from prefrontal.api.graphql.request_context import RequestContext
from prefrontal.api.lru_cache import LruCache
from prefrontal.api.middleware import error_response
from prefrontal.api.throttle import Limits, Throttle
from prefrontal.graph.caller import Principal
from prefrontal.graph.errors import (
    NOTHING_WRITTEN,
    InvalidInput,
    PrefrontalError,
    RateLimited,
    TimedOut,
    Unauthenticated,
    Unavailable,
)
from prefrontal.graph.storage.bookmarks import following

if TYPE_CHECKING:
    import strawberry
    from starlette.types import Receive, Scope, Send
    from starlette.websockets import WebSocket
    from strawberry.http import GraphQLHTTPResponse
    from strawberry.types import ExecutionResult

    from prefrontal.api.auth import Tokens
    from prefrontal.api.issuer import IssuerTokens
    from prefrontal.graph.access.service import ResolvedCaller
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.bootstrap.traces import SpanEnd
    from prefrontal.graph.storage.bookmarks import Chain
    from prefrontal.graph.storage.shared_read import SharedRead

log = structlog.get_logger(__name__)

_MOST_CALLERS = 1_024
_MOST_SPACES = 100_000
"""The bounds of the cache of callers: their number, and the number of their spaces."""

_CONTEXT = "prefrontal.asked"
"""Where the scope of a request has its context."""

_CHAIN = "prefrontal.bookmarks"
"""Where the scope of a request has what it waits for."""

_NOBODY = Principal(org="")
"""Whose a socket is before its token is verified: then nothing is executed."""

_STATUS: dict[type[PrefrontalError], int] = {Unauthenticated: 401, Unavailable: 503, RateLimited: 429}


class SocketContext(RequestContext):
    """The context of a socket: its token is verified when the client opens it, and again while it lasts."""

    def __init__(self, services: Services, tokens: Tokens | IssuerTokens, header: str | None) -> None:
        super().__init__(services, _NOBODY)
        self._tokens = tokens
        self._header = header
        self.verify = self._principal

    async def _principal(self) -> Principal:
        # A browser cannot send a header with a handshake: the token is in the first message instead.
        sent = self.connection_params if isinstance(self.connection_params, dict) else {}
        named = next((value for key, value in sent.items() if str(key).lower() == "authorization"), None)
        header = self._header if named is None else named
        return await self._tokens.principal(header if isinstance(header, str) else None)


class _JsonRequest(StarletteRequestAdapter):
    """A request whose media type `refusal_of` has checked already, ignoring letter case."""

    @property
    def content_type(self) -> str:
        """Return `application/json`, the only accepted media type."""
        return JSON


class GraphQLView(GraphQL[RequestContext, None]):
    """The endpoint `/graphql`."""

    request_adapter_class = _JsonRequest

    def __init__(self, schema: strawberry.Schema, services: Services, tokens: Tokens | IssuerTokens) -> None:
        super().__init__(
            schema,
            graphql_ide=None,
            subscription_protocols=[GRAPHQL_TRANSPORT_WS_PROTOCOL],
            connection_init_wait_timeout=timedelta(seconds=services.settings.request_timeout_s),
            max_subscriptions_per_connection=services.settings.caller_streams or None,
        )
        self._services = services
        self._tokens = tokens
        self._bookmarks = Bookmarks(services.settings)
        self._callers: LruCache[Principal, ResolvedCaller] = LruCache(
            most=_MOST_CALLERS, most_weight=_MOST_SPACES
        )
        settings = services.settings
        self._longest_s = settings.max_request_s
        self._throttle = Throttle(
            [
                Limits("this caller", settings.caller_requests_per_s, settings.caller_requests_at_once),
                Limits(
                    "this organisation",
                    settings.organisation_requests_per_s,
                    settings.organisation_requests_at_once,
                ),
            ]
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the operation; respond 401 without a valid token, 503 if the token cannot be verified.

        A request over a limit of its caller or organisation gets 429, one that takes too long 504.
        """
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            principal = await self._tokens.principal(request.headers.get("authorization"))
            scope["principal"] = principal
            with self._throttle.admitted((principal.org, principal.actors[:1]), principal.org):
                await self._run_and_send(request, scope, receive, send)
        except (Unauthenticated, Unavailable, RateLimited) as error:
            if isinstance(error, RateLimited):
                self._services.metrics.problems.labels(error.code).inc()
            await error_response(error, _STATUS[type(error)])(scope, receive, send)

    async def _run_and_send(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        with following() as chain:
            scope[_CHAIN] = chain
            traces = self._services.traces
            with nullcontext() if traces is None else traces.operation(request.headers) as ended:
                await self._run_in(request, scope, receive, send, chain, ended)

    async def _run_in(
        self,
        request: Request,
        scope: Scope,
        receive: Receive,
        send: Send,
        chain: Chain,
        ended: SpanEnd | None,
    ) -> None:
        started = time.perf_counter()
        late = False
        org = scope["principal"].org
        async with self._services.database.read_transaction() as reading:
            try:
                chain.follow(self._bookmarks.of_header(",".join(request.headers.getlist(HEADER)), org))
                async with asyncio.timeout(self._longest_s) as deadline:
                    response = refusal_of(request) or await self._answer(request, reading)
            except TimeoutError:
                if not deadline.expired():
                    raise
                late = True
                response = error_response(self._too_long(scope), 504)
            except HTTPException as error:
                # The framework's message may quote the client's input, which may not be valid Unicode.
                reason = error.reason.encode("ascii", "backslashreplace").decode()
                response = error_response(InvalidInput(reason), error.status_code)
            except InvalidInput as error:
                # Of the bookmark: what else a client has sent is answered by the operation.
                self._services.metrics.problems.labels(error.code).inc()
                response = error_response(error, BAD_REQUEST)
            self._count(scope, time.perf_counter() - started, ended, late=late)
            response.headers["Cache-Control"] = "no-store"
            if chain.bookmarks:
                response.headers[HEADER] = self._bookmarks.text_of(chain.bookmarks, org)
            if isinstance(response, StreamingResponse):
                await reading.end()
            # The response is sent before the read transaction ends, so the client does not wait for that.
            await response(scope, receive, send)

    def _count(self, scope: Scope, seconds: float, ended: SpanEnd | None, *, late: bool) -> None:
        """Count an operation with its outcome, and name its span; else it is a request alone."""
        asked: RequestContext | None = scope.get(_CONTEXT)
        if asked is None or asked.execution is None:
            return
        outcome = "failed" if late or asked.failed else "refused" if asked.refused else "ok"
        name, kind = label_of(asked.execution)
        self._services.metrics.operations.labels(name, kind, outcome).observe(seconds)
        if ended is not None:
            ended(f"{kind} {name}", outcome, **{"graphql.operation.type": kind})

    def _too_long(self, scope: Scope) -> TimedOut:
        """Return the error for a request that took too long, and log its operation."""
        asked: RequestContext | None = scope.get(_CONTEXT)
        execution = None if asked is None else asked.execution
        names = sorted(set(root_fields(execution).values())) if execution else []
        org = scope["principal"].org
        log.warning(TimedOut.code, operation=", ".join(names), cause="max_request_s", org=org)
        message = f"the request took longer than {self._longest_s:g} s; request less"
        if asked is not None and asked.mutates:
            message += ". A mutation in it may have happened: look, or repeat it with the same idempotencyKey"
        elif execution is not None and is_mutation(execution):
            message += f"; {NOTHING_WRITTEN}"
        return TimedOut(message)

    async def _answer(self, request: Request, reading: SharedRead) -> Response:
        """Return the response; a request whose caller has changed since an earlier one is answered again."""
        response = await self.run(request)
        try:
            confirmed = await self._services.database.verify(reading)
        except PrefrontalError:
            confirmed = False
        if confirmed:
            return response
        reading.outdated = False
        self._callers.drop(request.scope["principal"])
        return await self.run(request)

    async def get_context(self, request: Request | WebSocket, response: Response | WebSocket) -> Any:
        del response
        if request.scope["type"] == "websocket":
            return SocketContext(self._services, self._tokens, request.headers.get("authorization"))
        asked = RequestContext(self._services, request.scope["principal"], self._callers)
        asked.base_url = str(request.base_url)
        asked.bookmarks = request.scope[_CHAIN]
        request.scope[_CONTEXT] = asked
        return asked

    async def on_ws_connect(self, context: RequestContext) -> Any:
        """Verify the token of a socket, when its client opens it.

        Raises:
            ConnectionRejectionError: If there is none, or it is not valid; the socket is closed with 4403.
        """
        try:
            await context.renew()
        except PrefrontalError as error:
            self._services.metrics.problems.labels(error.code).inc()
            raise ConnectionRejectionError({"code": error.code}) from error
        return await super().on_ws_connect(context)

    def parse_json(self, data: str | bytes) -> Any:
        """Return the parsed JSON of a body or parameter.

        Raises:
            HTTPException: If it is not a JSON object or list (400).
        """
        try:
            found = self.decode_json(data)
        except (ValueError, RecursionError) as error:
            raise HTTPException(BAD_REQUEST, "the request is not JSON, or is nested too deep") from error
        if not isinstance(found, dict | list):
            raise HTTPException(BAD_REQUEST, "the request must be a JSON object with a `query`")
        return found

    async def get_sub_response(self, request: Request | WebSocket) -> Response:
        """Return the response object to which resolvers may add headers, with the negotiated media type."""
        response = await super().get_sub_response(request)
        # Several Accept headers count as one list.
        response.media_type = answer_type(",".join(request.headers.getlist("accept")))
        return response

    async def execute_single(self, *args: Any, **given: Any) -> ExecutionResult:
        """Execute an operation, behind the bookmarks in its extensions."""
        asked: RequestContext = given["context"]
        extensions = given["request_data"].extensions
        if isinstance(extensions, dict) and EXTENSION in extensions:
            asked.tells_bookmark = True
            asked.bookmarks.follow(self._bookmarks.of_extension(extensions[EXTENSION], asked.principal.org))
        return await super().execute_single(*args, **given)

    async def process_result(self, request: Request, result: ExecutionResult) -> GraphQLHTTPResponse:
        """Return the response's body; it has no `data` if the operation was not executed at all."""
        body = await super().process_result(request, result)
        asked: RequestContext | None = request.scope.get(_CONTEXT)
        if asked is not None:
            asked.failed = bool(result.errors)
            if asked.tells_bookmark:
                known = asked.bookmarks.bookmarks
                text = self._bookmarks.text_of(known, asked.principal.org) if known else None
                body["extensions"] = {**(body.get("extensions") or {}), EXTENSION: text}
        if result.data is None and result.errors and all(error.path is None for error in result.errors):
            del body["data"]
        return body

    def create_response(
        self, response_data: GraphQLHTTPResponse | list[GraphQLHTTPResponse], sub_response: Response
    ) -> Response:
        """Return the response; in GraphQL's own media type an operation that was not executed gives 400."""
        response = super().create_response(response_data, sub_response)
        if sub_response.media_type == GRAPHQL:
            response.headers["Content-Type"] = f"{GRAPHQL}; charset=utf-8"
            if "data" not in response_data:
                response.status_code = BAD_REQUEST
        return response
