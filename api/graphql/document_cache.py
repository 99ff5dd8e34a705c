"""Cache of parsed and validated GraphQL operations.

Whether an operation is well formed, valid and within the limits depends only on its text, its name and the
schema, never on variables or on the caller. An operation that passed these checks once always passes, so it
is cached by text and name. Parsing and validating again would cost ten times as much as executing a small
query. Operations that fail a check are not cached. The checks that depend on the request run each time: the
operation kinds that the HTTP method allows, variables, permissions, and the masking of defects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphql import ExecutionResult as GraphQLResult
from graphql import MiddlewareManager
from strawberry.extensions import SchemaExtension
from strawberry.extensions.runner import SchemaExtensionsRunner
from strawberry.types.graphql import OperationType

from prefrontal.api.graphql.errors import CodedSchema, MaskDefects
from prefrontal.api.graphql.request_context import RequestContext
from prefrontal.api.lru_cache import LruCache

if TYPE_CHECKING:
    from graphql import DocumentNode
    from strawberry.types import ExecutionContext, ExecutionResult

_MOST = 512
_MOST_CHARACTERS = 500_000
"""The largest total length of the cached texts; a parsed text takes some hundred bytes per character."""

OFTEN = 10
"""How often an operation is executed before its first statement is sent together with the caller's.

The database plans the two together once more, which takes as long as hundreds of ways to it and back."""


@dataclass(slots=True)
class _CachedOperation:
    """A cached operation, and how often it was executed from the cache."""

    document: DocumentNode
    kind: OperationType
    times: int = 0


class RememberPassed(SchemaExtension):
    """Caches an operation after all checks and before its execution; must be the last extension."""

    def on_execute(self) -> Iterator[None]:
        """Cache the operation: strawberry calls this hook after the checks of all extensions."""
        context = self.execution_context
        schema = context.schema
        if isinstance(schema, QuickSchema) and context.query and context.graphql_document:
            schema.keep(
                context.query,
                context._provided_operation_name,  # noqa: SLF001 - the name in the request
                context.graphql_document,
                context.operation_type,
            )
        yield


class QuickSchema(CodedSchema):
    """A schema that executes cached operations without parsing and validating them again."""

    def __init__(self, *, extensions: Iterable[Any], **given: Any) -> None:
        """Build the schema from the arguments of `strawberry.Schema`.

        Raises:
            TypeError: If an extension does more than check operations; see `_refuse_what_would_be_left_out`.
        """
        super().__init__(extensions=[*extensions, RememberPassed], **given)
        self._passed: LruCache[tuple[str, str | None], _CachedOperation] = LruCache(
            most=_MOST, most_weight=_MOST_CHARACTERS
        )
        self._mask = MaskDefects()
        for extension in self.get_extensions():
            _refuse_what_would_be_left_out(extension)

    def keep(self, query: str, name: str | None, document: DocumentNode, kind: OperationType) -> None:
        """Cache an operation that passed all checks."""
        self._passed.put((query, name), _CachedOperation(document, kind), len(query))

    def _create_execution_context(self, *args: Any, **given: Any) -> ExecutionContext:
        """Create it, and let the request know its operation."""
        made = super()._create_execution_context(*args, **given)
        if isinstance(made.context, RequestContext):
            made.context.execution = made
        return made

    async def stream(self, *args: Any, **given: Any) -> Any:
        """Return the results of a subscription; queries and mutations are for HTTP, with its limits."""
        given["allowed_operation_types"] = (OperationType.SUBSCRIPTION,)
        return await super().stream(*args, **given)

    async def execute(
        self,
        query: str | None,
        variable_values: dict[str, Any] | None = None,
        context_value: Any | None = None,
        root_value: Any | None = None,
        operation_name: str | None = None,
        allowed_operation_types: Iterable[OperationType] | None = None,
        operation_extensions: dict[str, Any] | None = None,
    ) -> ExecutionResult:
        """Return the result of an operation; a cached one is not checked again."""
        known = None
        # A client can send any JSON value as the name.
        if isinstance(query, str) and isinstance(operation_name, str | None):
            known = self._passed.get((query, operation_name))
        if known is None or allowed_operation_types is None or known.kind not in allowed_operation_types:
            return await super().execute(
                query,
                variable_values,
                context_value,
                root_value,
                operation_name,
                allowed_operation_types,
                operation_extensions,
            )
        context = self._create_execution_context(
            query=query,
            allowed_operation_types=allowed_operation_types,
            variable_values=variable_values,
            context_value=context_value,
            root_value=root_value,
            operation_name=operation_name,
            operation_extensions=operation_extensions,
        )
        context.graphql_document = known.document
        known.times += 1
        if isinstance(context_value, RequestContext):
            context_value.expects_caller = known.kind is OperationType.QUERY and known.times > OFTEN
        runner = SchemaExtensionsRunner(execution_context=context)
        result = await self._execute_operation(
            context,
            runner,
            MiddlewareManager(),
            self._get_execute_function(),
            self._get_custom_context_kwargs(operation_extensions),
        )
        if isinstance(result, GraphQLResult) and result.errors:
            result.errors = self._mask._process_errors(result.errors)  # noqa: SLF001 - like its own hook
        return await self._handle_execution_result(context, result, runner, skip_process_errors=True)


def _refuse_what_would_be_left_out(extension: SchemaExtension) -> None:
    """Check that an extension only checks operations: its other hooks would not run for cached ones.

    Raises:
        TypeError: If the extension has a hook for execution or fields, or adds to results.
    """
    if isinstance(extension, RememberPassed):
        return
    kind = type(extension)
    for hook in ("on_execute", "resolve", "get_results"):
        if getattr(kind, hook) is not getattr(SchemaExtension, hook):
            raise TypeError(f"{kind.__name__}.{hook} would not run for an operation that is known already")
