"""What the command line offers as choices: enumerations without the records, whose import takes longer."""

from __future__ import annotations

from enum import StrEnum


class ContextFormat(StrEnum):
    """How the text of a context is written."""

    MARKDOWN = "markdown"
    XML = "xml"
