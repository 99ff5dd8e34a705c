"""Reading JSON: memories, lists of messages, and the chat exports of ChatGPT and Claude.

    {"content": "Ann drinks oolong", "tags": ["tea"]}        a memory; just a text is one too
    {"role": "user", "content": "hello", "timestamp": …}     a message
    {"messages": [ … ]}                                      a conversation of such messages
    {"chat_messages": [ … ]}                                 a conversation of Claude
    {"mapping": { … }, "current_node": …}                    a conversation of ChatGPT

JSON Lines have one of them per line. A JSON document is one of them or a list; its entries are numbered,
because such files often have one line. Of a conversation of ChatGPT the thread is read that was open last.
What systems and tools said is left out, and so is what is no text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from prefrontal.api.imports.entry import MemoryLine, Source, message, moment
from prefrontal.graph.memory.record import MemoryDraft
from prefrontal.graph.scratch.json_lines import NO_ENTRY, Line, draft_line, draft_values, lines_of, parse_json

_SPEAKERLESS = frozenset({"system", "developer", "tool", "function"})
_TEXTS = frozenset({"text", "multimodal_text"})
_TIMES = ("timestamp", "created_at", "create_time", "happened_at")


def read_json_lines(text: str, source: Source) -> Iterator[MemoryLine]:
    """Yield what each line holds, numbered by lines."""
    for number, line in enumerate(lines_of(text), start=1):
        if line.strip():
            try:
                value = parse_json(line)
            except ValueError as error:
                yield Line(number, None, str(error))
                continue
            for entry in _entries(value, source):
                yield replace(entry, number=number)


def read_json(text: str, source: Source) -> Iterator[MemoryLine]:
    """Yield the entries of a JSON document, numbered from 1."""
    try:
        value = parse_json(text)
    except ValueError as error:
        yield Line(1, None, str(error))
        return
    items = value if isinstance(value, list) else [value]
    entries = (entry for item in items for entry in _entries(item, source))
    for number, entry in enumerate(entries, start=1):
        yield replace(entry, number=number)


def _entries(value: Any, source: Source) -> Iterator[MemoryLine]:
    if isinstance(value, str):
        value = {"content": value}
    if not isinstance(value, dict):
        yield Line(0, None, NO_ENTRY)
    elif isinstance(value.get("mapping"), dict):
        yield from _chatgpt(value, source)
    elif isinstance(value.get("chat_messages"), list):
        yield from _claude(value, source)
    elif isinstance(value.get("messages"), list):
        conversation = _first_text(value, ("conversation", "id", "title")) or source.name
        for item in value["messages"]:
            yield from _message(item, conversation, source)
    elif "role" in value:
        yield from _message(value, _first_text(value, ("conversation",)) or source.name, source)
    else:
        yield _memory(draft_values(value), source)


def _memory(values: dict[str, Any], source: Source) -> MemoryLine:
    kind = values.get("kind", source.kind)
    values["kind"] = kind.lower() if isinstance(kind, str) else kind
    try:
        values["happened_at"] = moment(values.get("happened_at"), source.zone)
    except ValueError as error:
        return Line(0, None, f"happenedAt: {error}")
    return draft_line(0, MemoryDraft, values)


def _message(value: Any, conversation: str, source: Source) -> Iterator[MemoryLine]:
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        yield Line(0, None, "a message must be a JSON object with role and content")
        return
    if value["role"] not in _SPEAKERLESS:
        at = next((value[name] for name in _TIMES if value.get(name) is not None), None)
        yield from _message_line(_text(value.get("content")), value["role"], conversation, at, None, source)


def _claude(value: dict[str, Any], source: Source) -> Iterator[MemoryLine]:
    conversation = _first_text(value, ("uuid", "name")) or source.name
    for item in value["chat_messages"]:
        if not isinstance(item, dict) or not isinstance(item.get("sender"), str):
            yield Line(0, None, "a message must be a JSON object with sender and text")
            continue
        text = _text(item.get("text")) or _text(item.get("content"))
        begun = value.get("created_at")
        yield from _message_line(text, item["sender"], conversation, item.get("created_at"), begun, source)


def _chatgpt(value: dict[str, Any], source: Source) -> Iterator[MemoryLine]:
    conversation = _first_text(value, ("conversation_id", "id", "title")) or source.name
    for node in _thread(value["mapping"], value.get("current_node")):
        said = node.get("message")
        if not isinstance(said, dict):
            continue
        author, content = _object(said.get("author")), _object(said.get("content"))
        hidden = _object(said.get("metadata")).get("is_visually_hidden_from_conversation") is True
        role = author.get("role")
        if not isinstance(role, str) or role in _SPEAKERLESS or hidden:
            continue
        if content.get("content_type", "text") not in _TEXTS or said.get("recipient", "all") != "all":
            continue
        text, begun = _text(content.get("parts")), value.get("create_time")
        yield from _message_line(text, role, conversation, said.get("create_time"), begun, source)


def _thread(mapping: dict[str, Any], current: Any) -> list[dict[str, Any]]:
    """Return the nodes from the root to the current one; without a current one, to the newest leaf."""
    nodes = {uid: node for uid, node in mapping.items() if isinstance(node, dict)}
    if not isinstance(current, str) or current not in nodes:
        parents = {node["parent"] for node in nodes.values() if isinstance(node.get("parent"), str)}
        current = next((uid for uid in reversed(nodes) if uid not in parents), None)
    path: dict[str, dict[str, Any]] = {}
    while isinstance(current, str) and current in nodes and current not in path:
        path[current] = nodes[current]
        current = nodes[current].get("parent")
    return list(reversed(path.values()))


def _message_line(
    text: str, speaker: str, conversation: str, at: Any, begun: Any, source: Source
) -> Iterator[MemoryLine]:
    """Yield a message, unless it has no text; without a time it has the one of its conversation."""
    if not text.strip():
        return
    try:
        happened: datetime | None = moment(begun if at is None else at, source.zone)
    except ValueError as error:
        yield Line(0, None, str(error))
        return
    yield message(0, text.strip(), speaker=speaker, conversation=conversation, at=happened)


def _text(value: Any) -> str:
    """Return the text of a message: a string, or its parts that are texts or have one."""
    if isinstance(value, str):
        return value
    parts = value if isinstance(value, list) else []
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "\n\n".join(text for text in texts if isinstance(text, str) and text.strip())


def _first_text(value: dict[str, Any], names: tuple[str, ...]) -> str | None:
    return next(
        (value[name] for name in names if isinstance(value.get(name), str) and value[name].strip()), None
    )


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
