"""Folding: a normal form for comparing texts that differ only in case, width or white space."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable


def fold(text: str) -> str:
    """Return the text in NFKC form, case-folded, with white space collapsed.

    ` Red  Wine` gives `red wine`.
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def text_key(scope_id: str, text: str) -> str:
    """Return the key that texts of a space have if they differ only in case, width or white space."""
    return hashlib.sha256(f"{scope_id}\0{fold(text)}".encode()).hexdigest()


def words_to_find(text: str | None) -> list[str]:
    """Return the words of a text in the form in which `cypher/_parts/contains_words` looks for them."""
    return sorted(set(unicodedata.normalize("NFKC", text or "").lower().split()))


def unique_folded(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the texts in their order, one for each folded form, in the first spelling."""
    seen: dict[str, str] = {}
    for text in texts:
        seen.setdefault(fold(text), text)
    return tuple(seen.values())
