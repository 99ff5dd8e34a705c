"""The idempotency key of the change that is being written."""

from __future__ import annotations

from contextvars import ContextVar

REQUEST_KEY: ContextVar[str | None] = ContextVar("request_key", default=None)
"""Set by `ChangeWriter.write`; every version that the change writes keeps it."""
