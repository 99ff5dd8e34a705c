"""The terms of a memory: what the full-text index finds it by, as stems.

    terms     the stems of its words, of who said it, of its tags, and of its date in words: `8 may 2023`

The text itself is indexed too, for scripts without spaces between words and for names with signs. Stop words
stay among the terms, because a question of nothing else has to find something. `graph.text.rarity` has the
terms of questions.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from prefrontal.graph.text.words import stem, words_of

_MONTHS = (
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
LONGEST = 64
"""The maximum length of a term."""


def date_words(at: datetime) -> str:
    """Return a date in English words: `8 may 2023`."""
    return f"{at.day} {_MONTHS[at.month - 1]} {at.year}"


def terms_of(texts: Iterable[str], at: datetime | None) -> str:
    """Return the terms of a memory with some texts, separated by spaces, each once."""
    words = [word for text in texts for word in words_of(text)]
    dated = words_of(date_words(at)) if at is not None else ()
    return " ".join(dict.fromkeys(stem(word)[:LONGEST] for word in (*words, *dated)))
