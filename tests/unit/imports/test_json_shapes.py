"""JSON: memories, messages, and the chats of ChatGPT and Claude, whatever is missing or wrong in them."""

from __future__ import annotations

import json
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from prefrontal.api.imports.entry import Source
from prefrontal.api.imports.json_shapes import read_json, read_json_lines
from prefrontal.graph.memory.record import MemoryKind
from tests.unit.imports.reading import contents, fields

FILE = Source("file")


def message(content: str, speaker: str, conversation: str, at: str | None = None) -> dict[str, Any]:
    entry = {"kind": "message", "content": content, "speaker": speaker, "conversation": conversation}
    return entry | ({"happened_at": at} if at else {})


def test_lines_are_texts_or_objects_in_both_spellings():
    text = "\n".join(
        [
            '"Just a text."',
            "",
            json.dumps(
                {
                    "content": "Ann was in Lisbon",
                    "kind": "EPISODE",
                    "tags": ["travel"],
                    "entities": ["Ann", {"name": "Lisbon", "kind": "place"}],
                    "confidence": 0.5,
                    "happenedAt": "2023-05-08T13:56:00+02:00",
                    "clientKey": "k1",
                    "metadata": {"myKey": 1},
                }
            ),
            '{"content": "hi", "kind": "message", "speaker": "Ann", "conversation": "c", "client_key": "k2"}',
            '{"content": "later", "happened_at": "2023-05-08T13:56:00"}',
        ]
    )

    assert fields(read_json_lines(text, Source("file", MemoryKind.SKILL, ZoneInfo("Europe/Berlin")))) == [
        {"kind": "skill", "content": "Just a text."},
        {
            "kind": "episode",
            "content": "Ann was in Lisbon",
            "tags": ["travel"],
            "entities": [{"name": "Ann"}, {"name": "Lisbon", "kind": "place"}],
            "confidence": 0.5,
            "happened_at": "2023-05-08T11:56:00Z",
            "client_key": "k1",
            "metadata": {"myKey": 1},
        },
        message("hi", "Ann", "c") | {"client_key": "k2"},
        {"kind": "skill", "content": "later", "happened_at": "2023-05-08T11:56:00Z"},
    ]
    assert [line.number for line in read_json_lines(text, FILE)] == [1, 3, 4, 5]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{no", "not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        ("[" * 100_000, "not JSON that can be read: nested too deep"),
        ("1", "must be a JSON object or a string"),
        ("[1]", "must be a JSON object or a string"),
        ("{}", "content: is missing"),
        ('{"content": 1}', "content: must be a text"),
        ('{"content": "a", "colour": 1}', "colour: there is no such key here"),
        ('{"content": "a", "confidence": 3}', "confidence: must be at most 1.0"),
        ('{"content": "a", "confidence": 1e999}', "confidence: must be a finite number"),
        (
            '{"content": "a", "kind": "rumour"}',
            "kind: must be one of: mandate, capability, episode, fact, skill, message, lesson",
        ),
        (
            '{"content": "a", "happenedAt": "soon"}',
            "happenedAt: the time must be one such as 2026-01-31T12:00:00Z",
        ),
        (
            '{"content": "a", "happenedAt": 1e30}',
            "happenedAt: the time must be one such as 2026-01-31T12:00:00Z",
        ),
        (
            '{"role": "user", "content": "a", "timestamp": []}',
            "the time must be one such as 2026-01-31T12:00:00Z",
        ),
        ('{"role": 1, "content": "a"}', "a message must be a JSON object with role and content"),
        ('{"chat_messages": [1]}', "a message must be a JSON object with sender and text"),
    ],
)
def test_a_line_that_is_no_entry_says_why(line, problem):
    assert contents(read_json_lines(f'"before"\n{line}\n"after"', FILE)) == [
        (1, "before"),
        (2, problem),
        (3, "after"),
    ]


def test_a_document_numbers_its_entries():
    text = json.dumps(["a", {"content": "b"}, 3, {"content": "d"}], indent=1)
    assert contents(read_json(text, FILE)) == [
        (1, "a"),
        (2, "b"),
        (3, "must be a JSON object or a string"),
        (4, "d"),
    ]
    assert contents(read_json('{"content": "alone"}', FILE)) == [(1, "alone")]
    assert contents(read_json("[]", FILE)) == []
    assert contents(read_json("[" * 100_000, FILE)) == [(1, "not JSON that can be read: nested too deep")]


def test_a_list_of_messages_is_the_conversation_of_the_file():
    messages = [
        {"role": "system", "content": "You are helpful."},
        {"role": "user", "content": "hello", "timestamp": "2024-01-02T03:04:05Z"},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "assistant", "content": [{"type": "text", "text": "Hi!"}, {"type": "image_url"}, "More."]},
        {"role": "user", "content": "seconds", "create_time": 1704164645.5},
        {"role": "user", "content": "milliseconds", "timestamp": 1704164645500},
        {"role": "user", "content": "no zone", "timestamp": "2024-01-02T03:04:05"},
    ]
    expected = [
        message("hello", "user", "file", "2024-01-02T03:04:05Z"),
        message("Hi!\n\nMore.", "assistant", "file"),
        message("seconds", "user", "file", "2024-01-02T03:04:05.500000Z"),
        message("milliseconds", "user", "file", "2024-01-02T03:04:05.500000Z"),
        message("no zone", "user", "file", "2024-01-02T03:04:05Z"),
    ]

    assert fields(read_json(json.dumps(messages), FILE)) == expected
    lines = "\n".join(json.dumps(message) for message in messages)
    assert fields(read_json_lines(lines, FILE)) == expected
    named = {"id": "c1", "messages": messages}
    assert fields(read_json(json.dumps(named), FILE)) == [each | {"conversation": "c1"} for each in expected]


def node(uid: str, parent: str | None, role: str = "user", **message: Any) -> dict[str, Any]:
    said = {"author": {"role": role}, "content": {"content_type": "text", "parts": [uid]}} | message
    return {uid: {"id": uid, "parent": parent, "message": said}}


def chatgpt(**fields: Any) -> dict[str, Any]:
    mapping = {
        "root": {"id": "root", "parent": None, "message": None},
        **node("system", "root", "system"),
        **node("hello", "system", create_time=1704164645.0),
        **node("first answer", "hello", "assistant", create_time=1704164646.0),
        **node("call", "hello", "assistant", recipient="python"),
        **node("result", "call", "tool"),
        **node("hidden", "result", metadata={"is_visually_hidden_from_conversation": True}),
        **node("thoughts", "hidden", "assistant", content={"content_type": "thoughts", "thoughts": []}),
        **node(
            "second answer",
            "thoughts",
            "assistant",
            content={"content_type": "multimodal_text", "parts": [{"asset": 1}, "second", "", "answer"]},
        ),
    }
    return {"conversation_id": "c1", "title": "T", "create_time": 1704164640, "mapping": mapping} | fields


def test_a_conversation_of_chatgpt_is_the_thread_that_was_open():
    text = json.dumps([chatgpt(current_node="second answer"), chatgpt(current_node="first answer", id="c2")])
    assert fields(read_json(text, FILE)) == [
        message("hello", "user", "c1", "2024-01-02T03:04:05Z"),
        message("second\n\nanswer", "assistant", "c1", "2024-01-02T03:04:00Z"),
        message("hello", "user", "c1", "2024-01-02T03:04:05Z"),
        message("first answer", "assistant", "c1", "2024-01-02T03:04:06Z"),
    ]


def test_a_broken_tree_of_chatgpt_gives_what_can_be_read():
    no_current = chatgpt(conversation_id=None, current_node="gone")
    assert [entry["conversation"] for entry in fields(read_json(json.dumps(no_current), FILE))] == ["T", "T"]
    circle = {"mapping": {**node("a", "b"), **node("b", "a"), "c": 1}, "current_node": "a"}
    assert fields(read_json(json.dumps(circle), FILE)) == [
        message("b", "user", "file"),
        message("a", "user", "file"),
    ]
    odd: dict[str, Any] = {"mapping": {"a": {"parent": 1, "message": {"author": 1, "content": []}}}}
    assert fields(read_json(json.dumps(odd), FILE)) == []
    assert fields(read_json('{"mapping": {}}', FILE)) == []


def test_a_conversation_of_claude():
    export = [
        {
            "uuid": "c1",
            "name": "Tea",
            "created_at": "2024-01-02T03:04:00Z",
            "chat_messages": [
                {"sender": "human", "text": "hello", "created_at": "2024-01-02T03:04:05.123Z"},
                {"sender": "assistant", "text": "", "content": [{"type": "text", "text": "Hi!"}]},
                {"sender": "human", "text": ""},
            ],
        }
    ]
    assert fields(read_json(json.dumps(export), FILE)) == [
        message("hello", "human", "c1", "2024-01-02T03:04:05.123000Z"),
        message("Hi!", "assistant", "c1", "2024-01-02T03:04:00Z"),
    ]
