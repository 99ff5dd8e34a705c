"""Operations that passed every check are executed again without being checked again.

Whether an operation is well formed, within the limits, valid and named follows from the text, the name and
the schema alone, never from variables or from who asks. So what passed once passes always, and reading and
checking the text again, which costs ten times as much as executing a small query, is left out. What did
not pass is not kept. Everything that depends on the request is done each time: the kinds of operation that
its method allows, variables, permissions, and the hiding of defects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from graphql import ExecutionResult as GraphQLResult
from graphql import MiddlewareManager
from strawberry.extensions import SchemaExtension
from strawberry.extensions.runner import SchemaExtensionsRunner

from prefrontal.api.graphql.errors import CodedSchema, MaskDefects
from prefrontal.api.lru_cache import Bounded

if TYPE_CHECKING:
    from graphql import DocumentNode
    from strawberry.types import ExecutionResult
    from strawberry.types.graphql import OperationType

_MOST = 512
_MOST_CHARACTERS = 500_000
"""Of all texts together; what is made of a text takes some hundred bytes for each of its characters."""


class RememberPassed(SchemaExtension):
    """Keeps an operation once nothing stands between it and its execution; stands last in the list."""

    def on_execute(self) -> Iterator[None]:
        """Keep it: the framework calls this after the checks of every extension."""
        context = self.execution_context
        schema = context.schema
        if isinstance(schema, QuickSchema) and context.query and context.graphql_document:
            schema.keep(
                context.query,
                context._provided_operation_name,  # noqa: SLF001 - what the request said
                context.graphql_document,
                context.operation_type,
            )
        yield


class QuickSchema(CodedSchema):
    """A schema that executes what passed its checks before without checking it again."""

    def __init__(self, *, extensions: Iterable[Any], **given: Any) -> None:
        """Take the extensions, which may only check, and what a schema takes."""
        super().__init__(extensions=[*extensions, RememberPassed], **given)
        self._passed: Bounded[tuple[str, str | None], tuple[DocumentNode, OperationType]] = Bounded(
            most=_MOST, most_weight=_MOST_CHARACTERS
        )
        self._mask = MaskDefects()
        for extension in self.get_extensions():
            _refuse_what_would_be_left_out(extension)

    def keep(self, query: str, name: str | None, document: DocumentNode, kind: OperationType) -> None:
        """Keep an operation that passed."""
        self._passed.put((query, name), (document, kind), len(query))

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
        """Return the result of an operation."""
        known = None
        # What a client sends as its name can be anything that JSON knows.
        if isinstance(query, str) and isinstance(operation_name, str | None):
            known = self._passed.get((query, operation_name))
        if known is None or allowed_operation_types is None or known[1] not in allowed_operation_types:
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
        context.graphql_document = known[0]
        runner = SchemaExtensionsRunner(execution_context=context)
        result = await self._execute_operation(
            context,
            runner,
            MiddlewareManager(),
            self._get_execute_function(),
            self._get_custom_context_kwargs(operation_extensions),
        )
        if isinstance(result, GraphQLResult) and result.errors:
            result.errors = self._mask._process_errors(result.errors)  # noqa: SLF001 - as its hook does
        return await self._handle_execution_result(context, result, runner, skip_process_errors=True)


def _refuse_what_would_be_left_out(extension: SchemaExtension) -> None:
    """Raise for an extension that does more than check: it would not run for what is known.

    Raises:
        TypeError: It has a hook of the execution or of the fields, or adds to results.
    """
    if isinstance(extension, RememberPassed):
        return
    kind = type(extension)
    for hook in ("on_execute", "resolve", "get_results"):
        if getattr(kind, hook) is not getattr(SchemaExtension, hook):
            raise TypeError(f"{kind.__name__}.{hook} would not run for an operation that is known already")
