"""Chats of WhatsApp: who said what and when, in both forms, whatever the order of day and month."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from prefrontal.api.imports.entry import Source
from prefrontal.api.imports.whatsapp import is_whatsapp, read_whatsapp
from tests.unit.imports.reading import contents, fields

CHAT = Source("WhatsApp Chat with Ann")
IPHONE = """\
[12/31/23, 10:15:00] Ann: \u200eMessages and calls are end-to-end encrypted.
[12/31/23, 10:15:00] Ann: hello
there: you

and you
[12/31/23, 10:16:30] ~\u202fBob B.: ok
\u200e[12/31/23, 10:17:00] Ann: \u200eimage omitted
"""
ANDROID = """\
31/12/2023, 10:15 - Messages and calls are end-to-end encrypted.
31/12/2023, 10:15 - Ann: hello
31/12/2023, 10:16 - Bob: <Media omitted>
1/1/2024, 0:05 - +49 151 234: happy new year
"""


def test_the_export_of_an_iphone():
    assert fields(read_whatsapp(IPHONE, CHAT)) == [
        {
            "kind": "message",
            "content": "hello\nthere: you\n\nand you",
            "happened_at": "2023-12-31T10:15:00Z",
            "speaker": "Ann",
            "conversation": "WhatsApp Chat with Ann",
        },
        {
            "kind": "message",
            "content": "ok",
            "happened_at": "2023-12-31T10:16:30Z",
            "speaker": "Bob B.",
            "conversation": "WhatsApp Chat with Ann",
        },
    ]
    assert [line.number for line in read_whatsapp(IPHONE, CHAT)] == [2, 6]


def test_the_export_of_an_android_phone_in_a_zone():
    berlin = Source("chat", zone=ZoneInfo("Europe/Berlin"))
    assert fields(read_whatsapp(ANDROID, berlin)) == [
        {
            "kind": "message",
            "content": "hello",
            "happened_at": "2023-12-31T09:15:00Z",
            "speaker": "Ann",
            "conversation": "chat",
        },
        {
            "kind": "message",
            "content": "happy new year",
            "happened_at": "2023-12-31T23:05:00Z",
            "speaker": "+49 151 234",
            "conversation": "chat",
        },
    ]


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        (["31/12/23, 10:15"], ["2023-12-31T10:15:00Z"]),
        (["12/31/23, 10:15"], ["2023-12-31T10:15:00Z"]),
        (["03/04/24, 10:15"], ["2024-04-03T10:15:00Z"]),
        (["03/04/24, 10:15 PM"], ["2024-03-04T22:15:00Z"]),
        (["03/04/24, 12:15\u202fam"], ["2024-03-04T00:15:00Z"]),
        (["01/02/24, 10:15", "02/01/24, 10:15"], ["2024-01-02T10:15:00Z", "2024-02-01T10:15:00Z"]),
        (["31.12.23, 10:15"], ["2023-12-31T10:15:00Z"]),
        (["2023-12-31, 10:15"], ["2023-12-31T10:15:00Z"]),
        (["31/12/23, 10.15"], ["2023-12-31T10:15:00Z"]),
    ],
)
def test_the_order_of_a_date_is_what_the_file_shows(dates, expected):
    text = "\n".join(f"{date} - Ann: x" for date in dates)
    assert is_whatsapp(text)
    assert [entry["happened_at"] for entry in fields(read_whatsapp(text, CHAT))] == expected


def test_what_has_no_date_or_no_time_is_refused_alone():
    text = "\nbefore\n31/12/23, 10:15 - Ann: yes\n30/02/24, 10:15 - Ann: no\n01/03/24, 25:15 - Ann: no"
    assert contents(read_whatsapp(text, CHAT)) == [
        (2, "is before the first message"),
        (3, "yes"),
        (4, "there is no such date or time"),
        (5, "there is no such date or time"),
    ]


@pytest.mark.parametrize("line", ["", "hello", "[1] a note", "12/31/23 a day", "31/12/2023, 10:15 hello"])
def test_other_texts_are_no_chats(line):
    assert not is_whatsapp(line)
