"""Reading Markdown: a memory for each paragraph, list item and code block, with its headings as tags.

A list item holds what is indented below it, also items and code. A fenced code block stays whole, and belongs
to the paragraph or item right before it. Front matter and rules (`---`) are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from prefrontal.api.imports.entry import MemoryLine, Source, memory
from prefrontal.graph.scratch.json_lines import lines_of
from prefrontal.graph.validation import short_name

_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_ITEM = re.compile(r"([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)(?=\S)")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_LONGEST_TAG = 100


def read_markdown(text: str, source: Source) -> Iterator[MemoryLine]:
    """Yield a memory for each paragraph, list item and code block, with the headings above it as tags."""
    for number, block, headings in _Blocks().read(lines_of(text)):
        yield memory(number, block, source, tuple(dict.fromkeys(headings)))


class _Blocks:
    """Divides lines into blocks; `_width` is the indentation of the open item's text, None outside of one."""

    def __init__(self) -> None:
        self._headings: list[tuple[int, str]] = []
        self._lines: list[str] = []
        self._start = 0
        self._indent = 0
        self._width: int | None = None
        self._blank = False
        self._fence: str | None = None

    def read(self, lines: list[str]) -> Iterator[tuple[int, str, list[str]]]:
        """Yield each block with the number of its first line and the headings above it."""
        first = _after_front_matter(lines)
        for number, line in enumerate(lines[first:], start=first + 1):
            yield from self._line(number, line)
        yield from self._flush()

    def _line(self, number: int, line: str) -> Iterator[tuple[int, str, list[str]]]:
        if self._fence is not None:
            self._add(number, line)
            if line.strip().startswith(self._fence) and not line.strip().strip(self._fence[0]):
                self._fence = None
            return
        if line.strip():
            yield from self._text(number, line)
        else:
            self._blank = True

    def _text(self, number: int, line: str) -> Iterator[tuple[int, str, list[str]]]:
        indent = len(line) - len(line.lstrip())
        inside = self._width is not None and indent > self._indent
        if self._blank and not inside:
            yield from self._flush()
        item = _ITEM.match(line)
        if _UNDERLINE.match(line) and self._is_paragraph():
            title, self._lines = " ".join(part.strip() for part in self._lines), []
            self._head(1 if "=" in line else 2, title)
        elif inside:
            self._add(number, line)
        elif heading := _HEADING.match(line):
            yield from self._flush()
            self._head(len(heading[1]), _title(line[heading.end() :]))
        elif _RULE.match(line):
            yield from self._flush()
        elif item:
            yield from self._flush()
            self._add(number, line[item.end() :])
            self._indent, self._width = indent, len(item[1])
        else:
            self._add(number, line)
        if fence := _FENCE.match(line[item.end() :] if item else line):
            self._fence = fence[1]

    def _is_paragraph(self) -> bool:
        return bool(self._lines) and self._width is None and not any(map(_FENCE.match, self._lines))

    def _add(self, number: int, line: str) -> None:
        if not self._lines:
            self._start = number
        elif self._blank and self._fence is None:
            self._lines.append("")
        self._blank = False
        indent = len(line) - len(line.lstrip())
        self._lines.append(line[min(indent, self._width or 0) :].rstrip())

    def _head(self, level: int, title: str) -> None:
        self._headings = [each for each in self._headings if each[0] < level]
        if title:
            self._headings.append((level, short_name(title, _LONGEST_TAG)))

    def _flush(self) -> Iterator[tuple[int, str, list[str]]]:
        block = "\n".join(self._lines).strip()
        if block:
            yield self._start, block, [title for _, title in self._headings]
        self._lines, self._width, self._blank = [], None, False


def _after_front_matter(lines: list[str]) -> int:
    """Return the index of the first line after the front matter, which stands between two `---`."""
    if lines[0].rstrip() == "---":
        for index, line in enumerate(lines[1:], start=1):
            if line.rstrip() in ("---", "..."):
                return index + 1
    return 0


def _title(text: str) -> str:
    """Return the text of a heading without the signs that may close it."""
    text = text.strip()
    bare = text.rstrip("#")
    return bare.rstrip() if not bare or bare[-1].isspace() else text
