"""The topics of a record: what it is about, as stems.

topics    the stems of its tags in their order, then the subject words of its text in the order of the text,
          each once; a stem with more than 100 characters is no topic
kept      an observation or a durable memory is linked to the first of them, at most `per_observation` of
          `goals.yaml`
"""

from __future__ import annotations

from collections.abc import Iterable

from prefrontal.graph.config.tables import TopicsTable
from prefrontal.graph.text.folding import fold
from prefrontal.graph.text.words import stem, stems_of, subject_words

LONGEST = 100
"""The maximum length of a topic. An index entry has a maximum size, and a text may be one long word."""


def topics_in_order(tags: Iterable[str], text: str, table: TopicsTable) -> tuple[str, ...]:
    """Return the topics of a record with some tags and a text."""
    words = subject_words(text, stems_of(table.stop_words))
    found = dict.fromkeys((*(stem(fold(tag)) for tag in tags), *words))
    return tuple(word for word in found if 0 < len(word) <= LONGEST)


def kept_topics(tags: Iterable[str], text: str, table: TopicsTable) -> tuple[str, ...]:
    """Return the topics that an observation or a durable memory is linked to, sorted."""
    return tuple(sorted(topics_in_order(tags, text, table)[: table.per_observation]))
