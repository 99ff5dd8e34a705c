"""Tokens are counted with a real tokenizer, the same every time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.errors import SettingsError
from prefrontal.graph.text.tokens import BpeCounter

COUNT = BpeCounter("o200k_base")


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("hello", 1), ("hello world", 2)])
def test_worked_counts(text: str, tokens: int) -> None:
    assert COUNT(text) == tokens


def test_what_looks_special_is_text() -> None:
    assert COUNT("<|endoftext|>") > 1


@given(st.text(max_size=100))
def test_a_count_is_the_same_for_every_counter_and_at_most_the_bytes(text: str) -> None:
    assert COUNT(text) == BpeCounter("o200k_base")(text) <= len(text.encode())


def test_an_unknown_encoding_is_a_wrong_setting() -> None:
    with pytest.raises(SettingsError, match="PREFRONTAL_TOKENIZER"):
        BpeCounter("nonsense")
