"""What of a memory, goal, question or story is encoded, and what the full-text index finds it by.

passage   the text; of a message with a known speaker `speaker: text`
terms     of the text, the speaker, the tags, the names of the entities, and the date; of a part of a long
          memory only the text and the speaker: the rest is what the whole memory is found by

The text of a goal is its title and its description, that of a question its text, that of a story its
narrative. Their date is that of their creation.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from prefrontal.graph.text.terms import every_term, index_form, terms_of

_PASSAGE = "_passage"


class StoredText(NamedTuple):
    """The text of a stored memory, goal, question or story."""

    uid: str
    content: str
    speaker: str | None

    @property
    def passage(self) -> str:
        """What is encoded."""
        return passage_of(self.content, self.speaker)


def passage_of(content: str, speaker: str | None = None) -> str:
    """Return the text of a memory that is encoded."""
    return content if speaker is None else f"{speaker}: {content}"


def kind_of_passages(kind: str) -> str:
    """Return the kind under which the passages of long memories of a kind are searched."""
    return kind + _PASSAGE


def passage_terms(content: str, speaker: str | None = None) -> str:
    """Return the terms of a part of a long memory."""
    return terms_of([content] if speaker is None else [content, speaker], None)


def memory_terms(
    content: str,
    at: datetime,
    *,
    speaker: str | None = None,
    tags: Iterable[str] = (),
    names: Iterable[str] = (),
) -> str:
    """Return the terms of a memory that was said or noticed at a time; `names` are those of its entities."""
    return terms_of([content, *([speaker] if speaker is not None else []), *tags, *names], at)


def renewed_terms(terms: str, content: str, speaker: str | None, tags: Iterable[str]) -> str:
    """Return the present terms of what was stored with some terms by an earlier version of the service.

    No term is lost: the names of its entities and its date are among them alone.
    """
    made = terms_of([content, *([speaker] if speaker is not None else []), *tags], None)
    # What is ASCII has the form of the index: read as words, its parts would be terms of nothing.
    words = " ".join(term for term in terms.split() if not term.isascii())
    kept = (index_form(term) for term in every_term(words))
    return " ".join(dict.fromkeys((*made.split(), *kept, *terms.split())))


def plan_properties(
    kind: str,
    texts: Iterable[str | None],
    at: datetime,
    *,
    tags: Iterable[str] = (),
    space: str | None,
) -> dict[str, str | None]:
    """Return the properties by which searches find a goal, question or story that was created at a time.

    `space` is the id of its space; None while it is not found, i.e. archived.
    """
    content = "\n".join(text for text in texts if text)
    return {
        "kind": kind,
        "content": content,
        "terms": memory_terms(content, at, tags=tags),
        "searchable_in": space,
    }
