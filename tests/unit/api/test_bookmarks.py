"""Bookmarks as clients carry them."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from prefrontal.api.bookmarks import MOST, MOST_CHARACTERS, Bookmarks
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.errors import InvalidInput, TooLarge

OLD, NEW = "the secret that was used before it", "the secret that is used now, of 32 bytes"
RAW = frozenset({"FB:kcwQGy16lf47RZmecVYbJMx/bgWQ", "FB:kcwQGy16lf47RZmecVYbJMx/bgaQ"})


def bookmarks(secret: str = NEW, before: str | None = None) -> Bookmarks:
    return Bookmarks(
        Settings(jwt_secret=SecretStr(secret), jwt_secret_before=SecretStr(before) if before else None)
    )


def test_a_bookmark_comes_back_in_another_process_and_says_nothing() -> None:
    text = bookmarks().text_of(RAW, "me")
    assert bookmarks().of_header(text, "me") == RAW
    assert bookmarks().of_extension(text, "me") == RAW
    assert "FB:" not in text
    assert text.isascii()
    assert "," not in text
    # Two of the same are not alike, so that nobody learns whether something was written between.
    assert bookmarks().text_of(RAW, "me") != text


def test_several_are_waited_for_together() -> None:
    one, other = (bookmarks().text_of([raw], "me") for raw in RAW)
    assert bookmarks().of_header(f"{one}, {other}", "me") == RAW
    assert bookmarks().of_extension([one, other], "me") == RAW
    assert bookmarks().of_header(None, "me") == bookmarks().of_extension(None, "me") == frozenset()
    assert bookmarks().of_header("", "me") == frozenset()


def test_the_secret_of_before_opens_as_long_as_it_is_set(tmp_path: Path) -> None:
    text = bookmarks(OLD).text_of(RAW, "me")
    assert bookmarks(NEW, before=OLD).of_header(text, "me") == RAW
    with pytest.raises(InvalidInput, match="not one of this service"):
        bookmarks(NEW).of_header(text, "me")


GIVEN = bookmarks().text_of(RAW, "me")


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        next(iter(RAW)),
        GIVEN[:-1],
        GIVEN[:20] + ("A" if GIVEN[20] != "A" else "B") + GIVEN[21:],
        GIVEN + "A" * MOST_CHARACTERS,
        "é" * 60,
        "AAAA",
        "!" * 60,
    ],
    ids=["a word", "raw", "cut", "altered", "too long", "no ascii", "too short", "no base64"],
)
def test_what_this_service_has_not_made_is_refused(text: str) -> None:
    for read in (bookmarks().of_header, bookmarks().of_extension):
        with pytest.raises(InvalidInput, match="send what an answer gave you, or leave it out") as caught:
            read(text, "me")
        assert caught.value.field == "bookmark"


def test_a_bookmark_of_another_organisation_is_refused() -> None:
    with pytest.raises(InvalidInput, match="not one of this service"):
        bookmarks().of_header(GIVEN, "another")


@pytest.mark.parametrize("value", [1, {"a": 1}, [1], [None], True])
def test_what_is_no_text_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput, match="a bookmark is a text, or a list of texts"):
        bookmarks().of_extension(value, "me")


def test_their_number_is_bounded() -> None:
    assert bookmarks().of_extension([GIVEN] * MOST, "me") == RAW
    with pytest.raises(TooLarge, match="at most 8 bookmarks"):
        bookmarks().of_extension([GIVEN] * (MOST + 1), "me")
    many = [bookmarks().text_of([f"FB:{n}", f"FB:{n}b", f"FB:{n}c"], "me") for n in range(MOST)]
    with pytest.raises(TooLarge, match="hold too many others"):
        bookmarks().of_extension(many, "me")
