"""Errors as clients see them: a `Problem` from a mutation, an error with a `code` from a query.

Every `PrefrontalError` becomes one of the two. Every other exception is a defect of the service: it is
logged with its traceback, and the client sees only "internal error".
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

from prefrontal.api.graphql.operation import is_mutation, root_fields
from prefrontal.graph.cortex.actions.record import EntryProblem
from prefrontal.graph.errors import (
    InvalidInput,
    PrefrontalError,
    TimedOut,
    Unavailable,
    cause_of,
)
from prefrontal.graph.journal.commits import reported_error, reported_read_error

if TYPE_CHECKING:
    from strawberry.types import ExecutionContext, Info

log = structlog.get_logger(__name__)

MASKED = "internal error"
_HALF = re.compile(r"[\ud800-\udfff]")


@strawberry.type(description="One error in an input.")
class ProblemDetail:
    """One error of an input."""

    code: str = strawberry.field(description="A stable code; see the table in docs/errors.md.")
    message: str = strawberry.field(description="What is wrong and what to do next.")
    field: str | None = strawberry.field(
        description="Path of the input field, e.g. `observations[17].confidence`."
    )


@strawberry.interface(
    description="What every mutation answers with: its payload, or a `Problem` if it was refused."
)
class MutationResult:
    """The fields that the payloads of all mutations share with `Problem`."""

    @strawberry.field(
        description="Whether everything was done. It is false with a `problem`, and if one of several "
        "entries that are applied separately was refused."
    )
    def ok(self) -> bool:
        return True

    @strawberry.field(description="The reason why the mutation was refused; null if it was not.")
    def problem(self) -> Problem | None:
        return None


@strawberry.type(
    description="The reason why a mutation was refused. Nothing was written, except if the code is "
    "`answer_lost`, or the message of `unavailable` says that it may have been."
)
class Problem(MutationResult):
    """The result of a refused mutation; the other implementation of every mutation's result."""

    code: str = strawberry.field(description="A stable code; see the table in docs/errors.md.")
    message: str = strawberry.field(description="What is wrong and what to do next.")
    field: str | None = strawberry.field(
        description="Path of the input field, e.g. `observations[17].confidence`."
    )
    problems: list[ProblemDetail] = strawberry.field(
        description="All errors, if there are several; else only the one above."
    )

    @classmethod
    def is_type_of(cls, answer: object, _: object) -> bool:
        """Tell whether a value is shown as a problem: also why one entry of several was not applied."""
        return isinstance(answer, cls | EntryProblem)

    @strawberry.field(description="Always false.")
    def ok(self) -> bool:
        return False

    @strawberry.field(description="The problem itself, as it is named in every result.")
    def problem(self) -> Problem | None:
        return self

    @classmethod
    def from_error(cls, error: PrefrontalError) -> Problem:
        """Return the problem for an error, with one detail for each error that it contains."""
        several = error.problems or (error,)
        return cls(
            code=error.code,
            message=error.message,
            field=error.field,
            problems=[ProblemDetail(code=e.code, message=e.message, field=e.field) for e in several],
        )


def problem_of(cause: PrefrontalError, info: Info[Any, Any]) -> Problem:
    """Return the problem that the client of a refused mutation is told, and count it by its code."""
    given = convert_arguments(info._raw_info, info._raw_info.field_nodes[0].arguments).get("input")  # noqa: SLF001
    error = reported_error(cause, committed=info.path.key in info.context.committed, key=_key_of(given))
    info.context.services.metrics.problems.labels(error.code).inc()
    info.context.refused = True
    if error.field is None and isinstance(cause.__cause__, UnicodeEncodeError):
        # Ids are not validated before the lookup, so find the field with invalid Unicode here.
        error.field = _half_of_a_pair(given)
    if isinstance(error, Unavailable | TimedOut):
        # Logged here because the failure may precede the use case: even the caller is looked up first.
        log.warning(
            error.code, operation=info.python_name, cause=cause_of(cause), org=info.context.principal.org
        )
    return Problem.from_error(error)


def _key_of(given: Any) -> str | None:
    """Return the idempotency key in the input of a mutation, or None."""
    key = given.get("idempotencyKey") if isinstance(given, dict) else None
    return key if isinstance(key, str) else None


def _half_of_a_pair(value: Any, path: str = "") -> str | None:
    """Return the path of the first text that contains a lone surrogate, or None."""
    if isinstance(value, str):
        return path if _HALF.search(value) else None
    inner: Iterable[tuple[str, Any]] = ()
    if isinstance(value, dict):
        inner = ((f"{path}.{name}".removeprefix("."), each) for name, each in value.items())
    elif isinstance(value, list):
        inner = ((f"{path}[{number}]", each) for number, each in enumerate(value))
    return next((found for here, each in inner if (found := _half_of_a_pair(each, here))), None)


def _is_defect(error: GraphQLError) -> bool:
    """Return whether an error is a defect of the service, whose message must be hidden."""
    cause = error.original_error
    return cause is not None and not isinstance(cause, PrefrontalError | GraphQLError)


class MaskDefects(MaskErrors):
    """Hides the messages of defects from clients."""

    def __init__(self) -> None:
        """Configure the masking: defects only."""
        super().__init__(should_mask_error=_is_defect, error_message=MASKED)

    def anonymise_error(self, error: GraphQLError) -> GraphQLError:
        """Return the error that a client sees for a defect: code `internal`, no details."""
        masked = super().anonymise_error(error)
        masked.extensions = {"code": PrefrontalError.code}
        return masked


class OneOperation(SchemaExtension):
    """Refuses a document with several operations if the request names none, as GraphQL demands.

    Without this extension strawberry would run the first one.
    """

    def on_parse(self) -> Iterator[None]:
        """Check the document after parsing, before its operation is validated."""
        yield
        context = self.execution_context
        document = context.graphql_document
        # The name in the request; the public `operation_name` falls back to the first operation's name.
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
    """Add the code to a syntax, validation or variable error, and the field to a variable error."""
    field = None
    if variable := _VARIABLE.match(error.message):
        field = variable["path"]
        if named := _NAMED.match(error.message, variable.end() - 2):
            field = f"{field}.{named['name']}" if field else named["name"]
    error.extensions = {"code": InvalidInput.code, "field": field, **(error.extensions or {})}


def _tell(error: GraphQLError, cause: PrefrontalError, execution: ExecutionContext) -> None:
    """Give an error the words of what failed: a query, or a part of an answer that is read after a commit."""
    if not is_mutation(execution):
        ours = reported_read_error(cause)
    elif error.path and error.path[0] in execution.context.committed:
        ours = reported_error(cause, committed=True, key=None)
    else:
        return
    error.message, error.extensions = ours.message, dict(ours.extensions)


def _log_failed_reads(errors: list[GraphQLError], execution: ExecutionContext) -> None:
    """Log the reads that the database did not answer, or not in time: once for each root field and cause."""
    failed = [
        (error.path[0], error.original_error)
        for error in errors
        if error.path and isinstance(error.original_error, Unavailable | TimedOut)
    ]
    if not failed:
        return
    names = root_fields(execution)
    org = execution.context.principal.org
    for code, operation, cause in sorted({(e.code, names[str(at)], cause_of(e)) for at, e in failed}):
        log.warning(code, operation=operation, cause=cause, org=org)


class CodedSchema(strawberry.Schema):
    """A schema that adds a code to every error and logs defects and reads that failed.

    Strawberry's own log line would contain the text and the values of the query.
    """

    def process_errors(
        self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None
    ) -> None:
        """Log the defects and the failed reads of an operation, and add codes to the other errors."""
        if execution_context is not None:
            _log_failed_reads(errors, execution_context)
        for error in errors:
            if _is_defect(error):
                log.error("defect", path=error.path, exc_info=error.original_error)
            elif isinstance(error.original_error, PrefrontalError):
                if execution_context is not None:
                    _tell(error, error.original_error, execution_context)
            else:
                code_request_error(error)
                if self.config.disable_field_suggestions:
                    # Strawberry's option removes only suggestions of fields, not of arguments, types,
                    # inputs and enums.
                    error.message = _HINT.sub("", error.message)
