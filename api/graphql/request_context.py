"""The context of a request (`info.context` in resolvers): the services, the caller and the data loaders."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from strawberry.types import Info

from prefrontal.api.graphql.loaders import Loaders
from prefrontal.graph.storage.bookmarks import Chain

if TYPE_CHECKING:
    from datetime import datetime

    from strawberry.types import ExecutionContext

    from prefrontal.api.lru_cache import LruCache
    from prefrontal.graph.access.service import ResolvedCaller
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.caller import Caller, Principal

    Callers = LruCache[Principal, ResolvedCaller]


class RequestContext:
    """The state of one request."""

    expects_caller = False
    """Whether the caller of an earlier request is expected: of what only reads and is sent often."""

    def __init__(self, services: Services, principal: Principal, callers: Callers | None = None) -> None:
        self.services = services
        self.principal = principal
        self.base_url = f"http://{services.settings.host}:{services.settings.port}/"
        """The address at which the client has reached this service."""
        self._callers = callers
        self._caller: asyncio.Task[Caller] | None = None
        self.committed: set[str | int] = set()
        """The names in the answer of the mutations that have committed a change."""
        self.mutates = False
        """Whether a mutation has begun."""
        self.bookmarks = Chain()
        """What the transactions of the request wait for."""
        self.tells_bookmark = False
        """Whether the client wants its bookmark in the extensions of the answer."""
        self.refused = False
        """Whether a mutation was answered with a problem."""
        self.failed = False
        """Whether the answer has errors."""
        self.verify: Callable[[], Awaitable[Principal]] | None = None
        """Verifies the token again; none where a request is verified once."""
        self.connection_params: object = None
        """What the client sent when it opened a socket; strawberry sets it."""
        self.execution: ExecutionContext | None = None
        """The operation of the request; none before it is known."""

    async def caller(self) -> Caller:
        """Return the caller; it is looked up on first use, and only once per request."""
        if self._caller is None:
            self._caller = asyncio.ensure_future(self._resolve())
        # A field that is cancelled does not cancel what the other fields wait for.
        return await asyncio.shield(self._caller)

    async def renew(self) -> Caller:
        """Return the caller as it is now, for what lasts longer than a request.

        Raises:
            Unauthenticated: If the token has ended, or its organisation or actor is gone.
            Unavailable: If that cannot be found out now.
        """
        if self.verify is not None:
            self.principal = await self.verify()
        return await self.services.access.caller(self.principal)

    async def _resolve(self) -> Caller:
        access = self.services.access
        if self._callers is None:
            return await access.caller(self.principal)
        known = self._callers.get(self.principal) if self.expects_caller else None
        if known is not None:
            return await access.assume(known)
        resolved = await access.resolve(self.principal)
        self._callers.put(self.principal, resolved, resolved.weight)
        return resolved.caller

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

    def forget_caller(self) -> None:
        """Look the caller up again for what follows, after a mutation has changed its own access."""
        self.forget()
        self._caller = None

    # strawberry sets these attributes on every context object.
    request: Any = None
    response: Any = None


Context = Info[RequestContext, None]
