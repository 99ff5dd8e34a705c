"""What is wrong with the shape of a value, in plain words: a message for each of pydantic's error types.

The readers of these messages edit YAML files or call the API. They need not know Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_MESSAGES = {
    "missing": "is missing",
    "extra_forbidden": "there is no such key here",
    "string_type": "must be a text",
    "string_unicode": "contains an unpaired surrogate, which is not valid Unicode",
    "invalid_key": "must be a text, as every key",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "int_parsing_size": "must be a whole number of fewer digits",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "frozen_set_type": "must be a list",
    "mapping_type": "must be a map of keys and values",
    "model_type": "must be a map of keys and values",
    "model_attributes_type": "must be a map of keys and values",
    "dict_type": "must be a JSON object",
    "none_required": "must be null",
    "datetime_type": "must be a time, e.g. 2026-01-31T12:00:00Z",
    "datetime_parsing": "must be a time, e.g. 2026-01-31T12:00:00Z",
    "datetime_from_date_parsing": "must be a time, e.g. 2026-01-31T12:00:00Z",
    "timezone_aware": "needs a time zone, e.g. 2026-01-31T12:00:00Z",
    "too_short": "needs at least {min_length} entries",
    "too_long": "may have at most {max_length} entries",
    "string_too_short": "needs at least {min_length} characters",
    "string_too_long": "may have at most {max_length} characters",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
}

_NAME = "must have 1 to 64 of a–z, 0–9 and _, beginning with a letter"
_WRONG = "has the wrong form"
_DURATION = "must be a duration, e.g. PT30M (minutes), PT2H (hours) or P3D (days)"


def message_of(error: Mapping[str, Any]) -> str:
    """Return what one of pydantic's errors says, and how the value is mended."""
    kind, context = str(error["type"]), error.get("ctx") or {}
    if kind == "value_error":
        return str(context.get("error", error["msg"]))
    if kind in ("literal_error", "enum"):
        expected = str(context.get("expected", "")).replace(" or ", ", ").replace("'", "")
        return f"must be one of: {expected}" if "," in expected else f"must be {expected}"
    if kind in ("too_short", "string_too_short") and context.get("min_length") == 1:
        return "must not be empty"
    if kind == "string_pattern_mismatch":
        return _form(str(context.get("pattern", "")))
    if kind == "union_tag_invalid":
        named = f"{context['discriminator']} must be one of: {context['expected_tags']}"
        return named.replace("'", "")
    return _MESSAGES[kind].format(**context) if kind in _MESSAGES else _WRONG


def _form(pattern: str) -> str:
    if pattern.startswith("^[a-z][a-z0-9_]"):
        return _NAME
    return _DURATION if pattern.startswith("^P(") else _WRONG
