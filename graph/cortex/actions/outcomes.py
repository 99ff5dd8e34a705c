"""The rule for results that say that an action failed (source 003, §Action Types: "successful execution").

A result is any JSON object. It says that the action failed if one of these holds:

    ok, success, succeeded    is false
    failed, failure           is true
    status, outcome           is failed, failure or error
    error, errors             is there and not empty, and `ok` or `success` is not true

Anything else is a result of an action that was carried out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TRUE_IF_WELL = ("ok", "success", "succeeded")
_TRUE_IF_FAILED = ("failed", "failure")
_STATUS = ("status", "outcome")
_FAILED = frozenset({"failed", "failure", "error"})
_ERROR = ("error", "errors")


def is_failed_result(result: Mapping[str, Any] | None) -> bool:
    """Tell whether a result says that the action failed."""
    if result is None:
        return False
    if any(result.get(name) is False for name in _TRUE_IF_WELL):
        return True
    if any(result.get(name) is True for name in _TRUE_IF_FAILED):
        return True
    said = (result.get(name) for name in _STATUS)
    if any(isinstance(each, str) and each.strip().casefold() in _FAILED for each in said):
        return True
    went_well = any(result.get(name) is True for name in _TRUE_IF_WELL)
    return not went_well and any(result.get(name) for name in _ERROR)
