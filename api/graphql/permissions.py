"""Permissions, declared on the fields that need them, so that a test can walk the schema."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from strawberry.extensions import FieldExtension

from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.caller import Permission, require


class Requires(FieldExtension):
    """Lets a field be resolved only for callers whose roles allow `permission`."""

    def __init__(self, permission: Permission) -> None:
        """Take the permission."""
        self.permission = permission

    async def resolve_async(
        self, next_: Callable[..., Awaitable[Any]], source: Any, info: Context, **kwargs: Any
    ) -> Any:
        """Resolve the field, or raise `Forbidden`."""
        require(await info.context.caller(), self.permission)
        return await next_(source, info, **kwargs)


WRITES = Requires(Permission.WRITE)
MAINTAINS = Requires(Permission.MAINTAIN)
READS = Requires(Permission.READ)
