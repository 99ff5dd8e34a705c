"""Files and folders to import: which there are, their encoding, and the shape of each by suffix and content.

*.md, *.markdown     Markdown
*.jsonl, *.ndjson    JSON Lines
*.json               a JSON document
anything else        a chat of WhatsApp, JSON Lines or a JSON document if it is one; else plain text
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from prefrontal.api.imports.entry import Entry, MemoryLine, Reader, Source, with_keys
from prefrontal.api.imports.json_shapes import read_json, read_json_lines
from prefrontal.api.imports.markdown import read_markdown
from prefrontal.api.imports.plain_text import read_plain_text
from prefrontal.api.imports.whatsapp import is_whatsapp, read_whatsapp
from prefrontal.graph.scratch.json_lines import Line, lines_of, parse_json

_BY_SUFFIX: dict[str, Reader] = {
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
    ".json": read_json,
}
_IN_FOLDERS = frozenset({".md", ".txt"})
_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UNDECODED = re.compile("[\udc80-\udcff]")
_NOT_TEXT = "is not text in UTF-8; save the file in this encoding"
_COPY = re.compile(r" ?\(\d+\)$")


def files_of(path: Path) -> list[Path]:
    """Return the file itself, or the Markdown and text files below a folder, sorted, without hidden ones."""
    if not path.is_dir():
        return [path]
    return sorted(
        found
        for found in path.rglob("*")
        if found.suffix.lower() in _IN_FOLDERS
        and not any(part.startswith(".") for part in found.relative_to(path).parts)
        and found.is_file()
    )


def read_files(path: Path, source: Source) -> Iterator[Entry]:
    """Yield the entries of a file, or of the files of a folder, each with a client key.

    A file that cannot be read is a problem at its first line.
    """
    return with_keys(
        Entry(str(file.relative_to(path)) if file != path else file.name, line)
        for file in files_of(path)
        for line in _read(file, source)
    )


def _read(file: Path, source: Source) -> Iterable[MemoryLine]:
    try:
        raw = file.read_bytes()
    except OSError as error:
        return [Line(1, None, f"cannot be read: {error.strerror}")]
    return read_bytes(raw, file.suffix, replace(source, name=_COPY.sub("", file.stem)))


def read_bytes(raw: bytes, suffix: str, source: Source) -> Iterator[MemoryLine]:
    """Yield the entries of a file's content; what is no text is a problem of its line."""
    encoding = next((name for mark, name in _ENCODINGS if raw.startswith(mark)), "utf-8")
    try:
        text = raw.decode(encoding, errors="strict" if encoding == "utf-16" else "surrogateescape")
    except UnicodeDecodeError:
        yield Line(1, None, _NOT_TEXT)
        return
    if "\0" in text:
        # No text has one: it is another kind of file, and its other lines mean nothing either.
        yield Line(len(lines_of(text[: text.index("\0")])), None, _NOT_TEXT)
        return
    for line in reader_of(text, suffix)(text, source):
        content = line.draft.content if line.draft is not None else ""
        if "\0" in content:
            yield Line(line.number, None, "contains a NUL character, which no text has")
        elif _UNDECODED.search(content):
            yield Line(line.number, None, _NOT_TEXT)
        else:
            yield line


def reader_of(text: str, suffix: str) -> Reader:
    """Return the reader of a file with this text and suffix."""
    if suffix.lower() in _BY_SUFFIX:
        return _BY_SUFFIX[suffix.lower()]
    first = next((line for line in lines_of(text) if line.strip()), "")
    if is_whatsapp(first):
        return read_whatsapp
    if _is_json(first, '{"'):
        return read_json_lines
    return read_json if _is_json(text, "{[") else read_plain_text


def _is_json(text: str, first: str) -> bool:
    if not text.lstrip().startswith(tuple(first)):
        return False
    try:
        parse_json(text)
    except ValueError:
        return False
    return True
