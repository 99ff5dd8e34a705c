"""Bookmarks of the database from inside: one of a later transaction than there has been."""

from __future__ import annotations

import base64


def later(bookmark: str, by: int) -> str:
    """The bookmark of the transaction that comes so many after the one of a bookmark.

    It is a list of the database's id, the transaction's number and nothing, in the database's own packing.
    """
    packed = base64.b64decode(bookmark.removeprefix("FB:"))
    assert packed[:3] == b"\x91\xcc\x10", bookmark
    assert packed[-1:] == b"\x90", bookmark
    head, number = packed[:19], packed[19:-1]
    value = number[0] if len(number) == 1 else int.from_bytes(number[1:], "big", signed=True)
    made = head + b"\xcb" + (value + by).to_bytes(8, "big", signed=True) + b"\x90"
    return "FB:" + base64.b64encode(made).decode()
