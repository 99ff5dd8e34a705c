"""Reading plain text: a memory for each line that is not empty."""

from __future__ import annotations

from collections.abc import Iterator

from prefrontal.api.imports.entry import MemoryLine, Source, memory
from prefrontal.graph.scratch.json_lines import lines_of


def read_plain_text(text: str, source: Source) -> Iterator[MemoryLine]:
    """Yield a memory for each line that is not empty."""
    for number, line in enumerate(lines_of(text), start=1):
        if line.strip():
            yield memory(number, line.strip(), source)
