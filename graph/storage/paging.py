"""Keyset paging: a page is one row with a list, and a cursor marks where the next page starts.

Every list is ordered by a key that ends in a unique id. Pages read in order therefore cover every match
exactly once, even when items are added meanwhile. The cursor is opaque to clients.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar

from prefrontal.graph.clock import NEVER
from prefrontal.graph.errors import InvalidInput

T = TypeVar("T")
U = TypeVar("U")

_JSON = json.JSONEncoder(separators=(",", ":"))
DEFAULT_FIRST = 20
MOST_FIRST = 100


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Up to `first` items in order, each with its cursor, and whether more follow."""

    items: tuple[T, ...]
    cursors: tuple[str, ...]
    has_next: bool

    def with_items(self, items: Iterable[U]) -> Page[U]:
        """Return the page with other items in the place of its own."""
        return Page(items=tuple(items), cursors=self.cursors, has_next=self.has_next)


def encode_cursor(*key: str | float) -> str:
    """Return the opaque cursor of an item with this sort key."""
    return base64.urlsafe_b64encode(_JSON.encode(key).encode()).decode().rstrip("=")


def page_of(found: Sequence[T], size: int, key: Callable[[T], tuple[str | float, ...]]) -> Page[T]:
    """Return a page of `size` items; if more items than that were found, there is a next page."""
    kept = tuple(found[:size])
    return Page(kept, tuple(encode_cursor(*key(item)) for item in kept), len(found) > size)


def start_of(after: str | None, *beginning: str | float) -> tuple[Any, ...]:
    """Return the sort key after which a page starts: that of the cursor, or `beginning` without a cursor.

    The parts of the key have the types of those of `beginning`.

    Raises:
        InvalidInput: If the cursor is not one of this list.
    """
    return beginning if after is None else decode_cursor(after, *(type(part) for part in beginning))


def not_a_cursor(field: str) -> InvalidInput:
    """Return the error about a text that is not a cursor of the list."""
    return InvalidInput("not a cursor of this list; take `endCursor` of the page before", field=field)


def decode_cursor(cursor: str, *kinds: type, field: str = "after") -> tuple[str | float, ...]:
    """Return the sort key in a cursor made by `encode_cursor`; `kinds` are the types of its parts.

    Raises:
        InvalidInput: If the cursor was not made by `encode_cursor`, or was made for a list with another
            order.
    """
    problem = not_a_cursor(field)
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        key = json.loads(raw)
    except (ValueError, binascii.Error, RecursionError) as error:
        raise problem from error
    if not isinstance(key, list) or len(key) != len(kinds):
        raise problem
    # By `type`, not `isinstance`: True is an int. JSON also has numbers and texts that Neo4j cannot store.
    if not all(type(part) is kind and _storable(part) for part, kind in zip(key, kinds, strict=True)):
        raise problem
    if encode_cursor(*key) != cursor:
        # Base64 and JSON have many spellings of one value; only the spelling that we issue is accepted.
        raise problem
    return tuple(key)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
LATEST = (NEVER - _EPOCH) // _MICROSECOND
"""A part of a sort key that stands for a time after all others."""


def time_part(at: datetime) -> int:
    """Return a time as a part of a sort key: the microseconds since 1970."""
    return (at - _EPOCH) // _MICROSECOND


def time_of(part: int) -> datetime:
    """Return the time that a part of a sort key stands for.

    Raises:
        InvalidInput: If there is no such time, because the cursor was not made by `encode_cursor`.
    """
    try:
        return _EPOCH + timedelta(microseconds=part)
    except OverflowError as error:
        raise not_a_cursor("after") from error


def time_cursor(cursor: str, order: str) -> tuple[int, str]:
    """Return the place in an order by time that a cursor stands for: the time as `time_part`, and an id.

    Raises:
        InvalidInput: If the cursor is not one of this order.
    """
    named, part, uid = decode_cursor(cursor, str, int, str)
    if named != order:
        raise not_a_cursor("after")
    time_of(int(part))
    return int(part), str(uid)


def _storable(part: object) -> bool:
    """Return whether Neo4j can store this part of a key: valid Unicode, a finite float, a 64-bit integer."""
    if isinstance(part, float):
        return math.isfinite(part)
    if isinstance(part, int):
        return -(2**63) <= part < 2**63
    try:
        str(part).encode()
    except UnicodeEncodeError:
        return False
    return True


def checked_first(
    first: int | None, *, field: str = "first", default: int = DEFAULT_FIRST, most: int = MOST_FIRST
) -> int:
    """Return the page size; `default` when `first` is None.

    Raises:
        InvalidInput: If `first` is below 1 or above `most`.
    """
    if first is None:
        return default
    if not 1 <= first <= most:
        raise InvalidInput(f"between 1 and {most}, not {first}", field=field)
    return first
