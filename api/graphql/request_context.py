"""What a resolver finds in `info.context`: the services, who asks, and the loaders of this request."""

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
        """Take the services and the verified principal."""
        self.services = services
        self.principal = principal
        self._caller: asyncio.Task[Caller] | None = None

    async def caller(self) -> Caller:
        """Return the caller; the graph is asked once per request, and only when somebody wants to know."""
        if self._caller is None:
            self._caller = asyncio.ensure_future(self.services.access.caller(self.principal))
        return await self._caller

    @cached_property
    def now(self) -> datetime:
        """The one moment at which everything in this answer is told."""
        return self.services.clock.now()

    @cached_property
    def loaders(self) -> Loaders:
        """The loaders of this request."""
        return Loaders(self.services, self.caller)

    # strawberry sets these on any context it is given.
    request: Any = None
    response: Any = None


Context = Info[RequestContext, None]
