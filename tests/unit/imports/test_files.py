"""Files: their shape and encoding, folders, and the keys by which an entry is known again."""

from __future__ import annotations

import codecs
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.api.imports.entry import DERIVED, Entry, Source, with_keys
from prefrontal.api.imports.files import files_of, read_bytes, read_files, reader_of
from prefrontal.api.imports.json_shapes import read_json, read_json_lines
from prefrontal.api.imports.markdown import read_markdown
from prefrontal.api.imports.plain_text import read_plain_text
from prefrontal.api.imports.whatsapp import read_whatsapp
from tests.unit.imports.reading import contents

NOT_TEXT = "is not text in UTF-8; save the file in this encoding"
FILE = Source("file")
KEYS = (
    "content",
    "role",
    "messages",
    "chat_messages",
    "sender",
    "text",
    "mapping",
    "current_node",
    "message",
)
MORE_KEYS = ("parent", "author", "parts", "create_time", "timestamp", "happenedAt", "entities", "metadata")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from("ab"),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(KEYS + MORE_KEYS) | st.sampled_from("ab"), inner, max_size=6)
    ),
)
PIECES = (
    "# ",
    "- ",
    "```",
    "---\n",
    "\n",
    "\r",
    " ",
    "{",
    '"',
    "12/31/23, 10:15 - ",
    "[1/2/24, 1:02:03 PM] ",
    "A: ",
)


@pytest.mark.parametrize(
    ("suffix", "text", "reader"),
    [
        (".md", '{"content": "a"}', read_markdown),
        (".MD", "", read_markdown),
        (".jsonl", "no JSON", read_json_lines),
        (".json", "no JSON", read_json),
        (".txt", "", read_plain_text),
        (".txt", "a\n{}", read_plain_text),
        (".txt", '"a" and b', read_plain_text),
        (".txt", "[x] done", read_plain_text),
        (".txt", "{" * 100_000, read_plain_text),
        ("", '\n"a"\nb', read_json_lines),
        ("", '{"content": "a"}\nb', read_json_lines),
        ("", '[\n{"content": "a"}\n]', read_json),
        ("", '{\n"content": "a"\n}', read_json),
        (".txt", "\n[12/31/23, 10:15:00] Ann: hello", read_whatsapp),
        (".txt", "31/12/2023, 10:15 - Ann: hello", read_whatsapp),
    ],
)
def test_the_shape_is_known_by_suffix_and_content(suffix, text, reader):
    assert reader_of(text, suffix) is reader


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"", []),
        (b"\xef\xbb\xbf", []),
        (b"\xef\xbb\xbfa\r\n\r\n  b  \rc\n", [(1, "a"), (3, "b"), (4, "c")]),
        (codecs.BOM_UTF16_LE + "é\nb".encode("utf-16-le"), [(1, "é"), (2, "b")]),
        (codecs.BOM_UTF16_BE + b"\x00", [(1, NOT_TEXT)]),
        ("a\né\nb".encode("latin-1"), [(1, "a"), (2, NOT_TEXT), (3, "b")]),
        (b"a\nb\0c\nd", [(2, NOT_TEXT)]),
        (b'"a\\u0000b"', [(1, "contains a NUL character, which no text has")]),
        ("a\u2028b\x0cc\x85d".encode(), [(1, "a\u2028b\x0cc\x85d")]),
    ],
)
def test_encodings_and_line_ends(raw, expected):
    assert contents(read_bytes(raw, ".txt", FILE)) == expected


def test_a_folder_is_its_notes_in_order_without_hidden_ones(tmp_path):
    for name in ("b.md", "a.txt", "sub/c.MD", ".hidden/d.md", "sub/.e.txt", "f.json", "g.md/h.txt"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(name)

    assert [str(file.relative_to(tmp_path)) for file in files_of(tmp_path)] == [
        "a.txt",
        "b.md",
        "g.md/h.txt",
        "sub/c.MD",
    ]
    assert [
        (e.file, e.line.number, e.line.draft and e.line.draft.content) for e in read_files(tmp_path, FILE)
    ] == [
        ("a.txt", 1, "a.txt"),
        ("b.md", 1, "b.md"),
        ("g.md/h.txt", 1, "g.md/h.txt"),
        ("sub/c.MD", 1, "sub/c.MD"),
    ]


def test_a_second_download_of_a_chat_is_the_same_conversation(tmp_path):
    for name in ("Chat with Ann.txt", "Chat with Ann (1).txt"):
        (tmp_path / name).write_text("31/12/2023, 10:15 - Ann: hello")
    first, second = (entry.line.draft for entry in read_files(tmp_path, FILE))
    assert first is not None
    assert first == second
    assert first.conversation == "Chat with Ann"


def keys(text: str, suffix: str = ".txt", source: Source = FILE) -> list[str]:
    entries = with_keys(Entry("file", line) for line in read_bytes(text.encode(), suffix, source))
    return [entry.line.draft.client_key or "" for entry in entries if entry.line.draft is not None]


def test_a_key_says_nothing_of_the_place():
    (tea,) = keys("Ann drinks tea")
    assert tea.startswith(DERIVED)
    assert keys("new\n\nann  DRINKS tea")[1] == tea
    assert keys("# Heading\n\n- Ann drinks tea", ".md") == [tea]
    assert keys('{"content": "Ann drinks tea", "tags": ["a"]}', ".jsonl") == [tea]
    assert keys('{"content": "Ann drinks tea", "kind": "skill"}', ".jsonl") != [tea]
    assert keys('{"content": "Ann drinks tea", "clientKey": "mine"}', ".jsonl") == ["mine"]


def test_equal_messages_are_others_by_time_speaker_conversation_and_count():
    chat = (
        "31/12/2023, 10:15 - Ann: yes\n31/12/2023, 10:15 - Ann: yes\n"
        "31/12/2023, 10:16 - Ann: yes\n31/12/2023, 10:16 - Bob: yes\n"
    )
    first = keys(chat)
    assert len(set(first)) == 4
    assert keys("30/12/2023, 10:15 - Ann: before\n" + chat + "31/12/2023, 10:17 - Bob: new")[1:5] == first
    assert not set(keys(chat, source=Source("other"))) & set(first)


@given(
    st.lists(st.sampled_from(PIECES).map(str.encode) | st.binary(max_size=3)).map(b"".join),
    st.sampled_from(("", ".md", ".json", ".jsonl", ".txt")),
)
def test_no_file_breaks_a_reader(raw, suffix):
    lines = list(read_bytes(raw, suffix, FILE))
    assert all((line.draft is None) == bool(line.problem) for line in lines)
    assert [line.number for line in lines] == sorted(line.number for line in lines)
    list(with_keys(Entry("file", line) for line in lines))


@given(VALUES)
def test_no_json_breaks_a_reader(value):
    lines = list(read_bytes(json.dumps(value).encode(), ".json", FILE))
    assert all((line.draft is None) == bool(line.problem) for line in lines)
    list(with_keys(Entry("file", line) for line in lines))
