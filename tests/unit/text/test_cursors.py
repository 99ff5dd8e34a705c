"""Cursors: opaque, and only what was made by the same list is taken."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.storage.paging import checked_first, decode_cursor, encode_cursor


@given(st.integers(-(2**62), 2**62), st.text(max_size=40))
def test_a_cursor_gives_back_its_key(rank: int, uid: str) -> None:
    assert decode_cursor(encode_cursor(rank, uid), int, str) == (rank, uid)
    assert decode_cursor(encode_cursor(uid), str) == (uid,)


@given(st.text(max_size=40) | st.binary(max_size=40).map(lambda raw: raw.decode("latin-1")))
def test_any_text_is_a_cursor_or_refused(cursor: str) -> None:
    with contextlib.suppress(InvalidInput):
        assert isinstance(decode_cursor(cursor, str)[0], str)


@pytest.mark.parametrize("cursor", [encode_cursor("a"), encode_cursor(1, 2), encode_cursor("a", "b", "c")])
def test_the_cursor_of_another_list_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidInput):
        decode_cursor(cursor, int, str)


@given(st.integers())
def test_a_page_has_1_to_100(first: int) -> None:
    if 1 <= first <= 100:
        assert checked_first(first) == first
    else:
        with pytest.raises(InvalidInput):
            checked_first(first)
    assert checked_first(None) == 20
