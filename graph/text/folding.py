"""Folding: a normal form for comparing texts that differ only in case, width or white space."""

from __future__ import annotations

import unicodedata


def fold(text: str) -> str:
    """Return the text in NFKC form, case-folded, with white space collapsed.

    ` Red  Wine` gives `red wine`.
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
