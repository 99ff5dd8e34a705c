"""Permissions, declared on the GraphQL fields that need them, so that a test can check every field."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from strawberry.extensions import FieldExtension

from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.caller import Permission, require


class Requires(FieldExtension):
    """Allows a field only for callers whose roles include `permission`."""

    def __init__(self, permission: Permission, *, changes: bool = True) -> None:
        self.permission = permission
        self._changes = changes

    async def resolve_async(
        self, next_: Callable[..., Awaitable[Any]], source: Any, info: Context, **kwargs: Any
    ) -> Any:
        """Resolve the field.

        Raises:
            Forbidden: If the caller does not have the permission.
        """
        require(await info.context.caller(), self.permission)
        if self._changes:
            # What earlier mutations of the request have read changes with this one.
            info.context.forget()
        return await next_(source, info, **kwargs)


WRITES = Requires(Permission.WRITE)
MAINTAINS = Requires(Permission.MAINTAIN)
READS = Requires(Permission.READ, changes=False)
DECIDES = Requires(Permission.READ)
"""For what everybody decides about its own access."""
