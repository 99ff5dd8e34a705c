"""GraphQL over HTTP: the token is verified before anything is parsed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from strawberry.asgi import GraphQL

from api.graphql.state import State
from api.middleware import error_response
from graph.errors import Unauthenticated

if TYPE_CHECKING:
    import strawberry
    from starlette.responses import Response
    from starlette.types import Receive, Scope, Send
    from starlette.websockets import WebSocket

    from api.auth import Tokens
    from graph.services import Services


class GraphQLView(GraphQL[State, None]):
    """The endpoint `/graphql`."""

    def __init__(self, schema: strawberry.Schema, services: Services, tokens: Tokens) -> None:
        """Take the schema, what its resolvers use, and what verifies tokens."""
        super().__init__(schema, graphql_ide=None)
        self._services = services
        self._tokens = tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 401 without a valid token, else run the operation."""
        if scope["type"] == "http":
            try:
                header = Request(scope).headers.get("authorization")
                scope["principal"] = self._tokens.verify(header)
            except Unauthenticated as error:
                await error_response(error, 401)(scope, receive, send)
                return
        await super().__call__(scope, receive, send)

    async def get_context(
        self,
        request: Request | WebSocket,
        response: Response | WebSocket,  # noqa: ARG002 - the framework's signature
    ) -> Any:
        """Return the state of one request."""
        return State(self._services, request.scope["principal"])
