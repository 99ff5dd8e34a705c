"""The context of a request (`info.context` in resolvers): the services, the caller and the data loaders."""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import TYPE_CHECKING, Any

from strawberry.types import Info

from prefrontal.api.graphql.loaders import Loaders

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.caller import Caller, Principal


class RequestContext:
    """The state of one request."""

    def __init__(self, services: Services, principal: Principal) -> None:
        """Store the services and the verified principal."""
        self.services = services
        self.principal = principal
        self._caller: asyncio.Task[Caller] | None = None

    async def caller(self) -> Caller:
        """Return the caller; it is looked up on first use, and only once per request."""
        if self._caller is None:
            self._caller = asyncio.ensure_future(self.services.access.caller(self.principal))
        # A field that is cancelled does not cancel what the other fields wait for.
        return await asyncio.shield(self._caller)

    @cached_property
    def now(self) -> datetime:
        """The time of the request, the same for all fields of the response."""
        return self.services.clock.now()

    @cached_property
    def loaders(self) -> Loaders:
        """The data loaders of this request."""
        return Loaders(self.services, self.caller)

    def forget(self) -> None:
        """Forget what the loaders have read, after a mutation of the request."""
        self.__dict__.pop("loaders", None)

    # strawberry sets these attributes on every context object.
    request: Any = None
    response: Any = None


Context = Info[RequestContext, None]
