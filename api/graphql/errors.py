"""Errors as clients see them: a `Problem` from a mutation, a coded error from a query.

Everything raised on purpose becomes one of the two. Everything else is a defect of ours: it is logged
with its traceback and shown as "internal error", without a word of what went wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import strawberry
import structlog
from graphql import GraphQLError
from strawberry.extensions import MaskErrors

from graph.errors import InvalidInput, PrefrontalError, SeveralProblems

if TYPE_CHECKING:
    from strawberry.types import Info
    from strawberry.types.field import StrawberryField

log = structlog.get_logger(__name__)

MASKED = "internal error"


@strawberry.type(description="One thing that is wrong with an input.")
class ProblemDetail:
    """A single complaint."""

    code: str = strawberry.field(description="Stable; see the table of codes in docs/errors.md.")
    message: str = strawberry.field(description="What is wrong and what to do.")
    field: str | None = strawberry.field(
        description="Path of the input field, e.g. `observations[17].confidence`."
    )


@strawberry.type(description="Why nothing was written.")
class Problem:
    """The other result of every mutation."""

    code: str = strawberry.field(description="Stable; see the table of codes in docs/errors.md.")
    message: str = strawberry.field(description="What is wrong and what to do.")
    field: str | None = strawberry.field(
        description="Path of the input field, e.g. `observations[17].confidence`."
    )
    problems: list[ProblemDetail] = strawberry.field(
        description="Every complaint, when there are several; else the one above."
    )

    @classmethod
    def from_error(cls, error: PrefrontalError) -> Problem:
        """Return the problem that tells of an error."""
        several: tuple[InvalidInput | PrefrontalError, ...] = (
            error.problems if isinstance(error, SeveralProblems) else (error,)
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
        if exception.code == "unavailable":
            log.warning("unavailable", field=field.python_name, error=exception.message)
        return Problem.from_error(exception)


def _is_defect(error: GraphQLError) -> bool:
    """Tell whether an error was not raised on purpose: then it is logged and masked."""
    cause = error.original_error
    if cause is None or isinstance(cause, PrefrontalError | GraphQLError):
        return False
    log.error("defect", path=error.path, exc_info=cause)
    return True


class MaskDefects(MaskErrors):
    """Hides the message of everything that was not raised on purpose."""

    def __init__(self) -> None:
        """Mask defects only."""
        super().__init__(should_mask_error=_is_defect, error_message=MASKED)
