"""Errors as clients see them: a `Problem` from a mutation, a coded error from a query.

Everything raised on purpose becomes one of the two. Everything else is a defect of ours: it is logged
with its traceback and shown as "internal error", without a word of what went wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import strawberry
import structlog
from graphql import GraphQLError, OperationDefinitionNode
from strawberry.extensions import MaskErrors, SchemaExtension
from strawberry.types.nodes import convert_arguments

from prefrontal.graph.errors import (
    InvalidInput,
    PrefrontalError,
    SeveralConflicts,
    SeveralProblems,
    TimedOut,
    Unavailable,
    cause_of,
)

if TYPE_CHECKING:
    from strawberry.types import ExecutionContext, Info
    from strawberry.types.field import StrawberryField

log = structlog.get_logger(__name__)

MASKED = "internal error"
_HALF = re.compile(r"[\ud800-\udfff]")


@strawberry.type(description="One error in an input.")
class ProblemDetail:
    """A single complaint."""

    code: str = strawberry.field(description="A stable code; see the table in docs/errors.md.")
    message: str = strawberry.field(description="What is wrong and what to do next.")
    field: str | None = strawberry.field(
        description="Path of the input field, e.g. `observations[17].confidence`."
    )


@strawberry.type(description="The reason why a mutation was refused; nothing was written.")
class Problem:
    """The other result of every mutation."""

    code: str = strawberry.field(description="A stable code; see the table in docs/errors.md.")
    message: str = strawberry.field(description="What is wrong and what to do next.")
    field: str | None = strawberry.field(
        description="Path of the input field, e.g. `observations[17].confidence`."
    )
    problems: list[ProblemDetail] = strawberry.field(
        description="All errors, if there are several; else only the one above."
    )

    @classmethod
    def from_error(cls, error: PrefrontalError) -> Problem:
        """Return the problem that tells of an error."""
        several: tuple[PrefrontalError, ...] = (
            error.problems if isinstance(error, SeveralProblems | SeveralConflicts) else (error,)
        )
        return cls(
            code=error.code,
            message=error.message,
            field=error.field,
            problems=[ProblemDetail(code=e.code, message=e.message, field=e.field) for e in several],
        )


class ProblemHandler(strawberry.ExceptionHandler[PrefrontalError, Problem]):
    """Turns every error raised on purpose into the `Problem` of a mutation's result."""

    def handle(self, exception: PrefrontalError, *, field: StrawberryField, info: Info[Any, Any]) -> Problem:
        """Return the problem, counted by its code."""
        info.context.services.metrics.problems.labels(exception.code).inc()
        if exception.field is None and isinstance(exception.__cause__, UnicodeEncodeError):
            # An id is only looked up, so nobody else says which of them cannot be one.
            exception.field = _half_of_a_pair(
                convert_arguments(info._raw_info, info._raw_info.field_nodes[0].arguments).get("input")  # noqa: SLF001
            )
        if isinstance(exception, Unavailable | TimedOut):
            # Also where nothing had been begun yet, since not even the caller could be looked up.
            log.warning(
                exception.code,
                operation=field.python_name,
                cause=cause_of(exception),
                org=info.context.principal.org,
            )
        return Problem.from_error(exception)


def _half_of_a_pair(value: Any, path: str = "") -> str | None:
    """Return the path of the first text that holds half of a surrogate pair."""
    if isinstance(value, str):
        return path if _HALF.search(value) else None
    inner: Iterable[tuple[str, Any]] = ()
    if isinstance(value, dict):
        inner = ((f"{path}.{name}".removeprefix("."), each) for name, each in value.items())
    elif isinstance(value, list):
        inner = ((f"{path}[{number}]", each) for number, each in enumerate(value))
    return next((found for here, each in inner if (found := _half_of_a_pair(each, here))), None)


def _is_defect(error: GraphQLError) -> bool:
    """Tell whether an error was not raised on purpose: then its message is hidden."""
    cause = error.original_error
    return cause is not None and not isinstance(cause, PrefrontalError | GraphQLError)


class MaskDefects(MaskErrors):
    """Hides the message of everything that was not raised on purpose."""

    def __init__(self) -> None:
        """Mask defects only."""
        super().__init__(should_mask_error=_is_defect, error_message=MASKED)

    def anonymise_error(self, error: GraphQLError) -> GraphQLError:
        """Return what a client sees of a defect."""
        masked = super().anonymise_error(error)
        masked.extensions = {"code": PrefrontalError.code}
        return masked


class OneOperation(SchemaExtension):
    """Refuses a document of several operations when none of them is named, as GraphQL demands.

    The framework would run the first one.
    """

    def on_parse(self) -> Iterator[None]:
        """Look at the document once it is read, before anything is checked about its operation."""
        yield
        context = self.execution_context
        document = context.graphql_document
        # What the request said; the public `operation_name` falls back to the first operation's.
        if document is None or context._provided_operation_name is not None:  # noqa: SLF001
            return
        operations = [each for each in document.definitions if isinstance(each, OperationDefinitionNode)]
        if len(operations) > 1:
            raise GraphQLError("the document has several operations; name one of them in `operationName`")


_VARIABLE = re.compile(r"^Variable '\$\w+' has invalid value(?: at \.?(?P<path>[^\s:]+))?: ")
_NAMED = re.compile(
    r": Expected value of type '\w+!?'"
    r" (?:to include required field|not to include unknown field) '(?P<name>\w+)'"
)

_HINT = re.compile(r" Did you mean [^?]*\?")


def code_request_error(error: GraphQLError) -> None:
    """Give a syntax, validation or variable error its code, and the field that a variable's error names."""
    field = None
    if variable := _VARIABLE.match(error.message):
        field = variable["path"]
        if named := _NAMED.match(error.message, variable.end() - 2):
            field = f"{field}.{named['name']}" if field else named["name"]
    error.extensions = {"code": InvalidInput.code, "field": field, **(error.extensions or {})}


class CodedSchema(strawberry.Schema):
    """A schema whose every error has a code, and which logs defects only.

    The framework's own log line would hold the text and the values of the query; ours holds neither.
    """

    def process_errors(
        self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None
    ) -> None:
        """Log the defects among the errors of an operation; give the others their codes."""
        del execution_context
        for error in errors:
            if _is_defect(error):
                log.error("defect", path=error.path, exc_info=error.original_error)
            elif not isinstance(error.original_error, PrefrontalError):
                code_request_error(error)
                if self.config.disable_field_suggestions:
                    # The framework's switch leaves those of arguments, types, inputs and enums.
                    error.message = _HINT.sub("", error.message)
