"""The idempotency key of the current change, as a context variable."""

from __future__ import annotations

from contextvars import ContextVar

REQUEST_KEY: ContextVar[str | None] = ContextVar("request_key", default=None)
"""Set by `ChangeWriter.write` while a change runs. Every version that the change writes stores the key."""
