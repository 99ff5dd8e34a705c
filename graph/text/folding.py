"""Texts that differ only in how they are written are one."""

from __future__ import annotations

import unicodedata


def fold(text: str) -> str:
    """Return the text in NFKC form, case folded, its white space collapsed: ` Red  Wine` is `red wine`."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
