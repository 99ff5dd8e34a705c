"""What a session is about: the names that others are compared with (source 002, §3.4; decision G-075).

    entities    those of the items that it holds; without items its focus
    themes      its dominant themes; without items its focus and the themes of its task
    durable     whether a memory that it holds has the name. Others come from texts that live in the session
                alone, or from its focus and task: they are deleted when the look-back is over

A name stands once, as it is spelled first; names with the same stems are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from prefrontal.graph.sessions.names import key, keys
from prefrontal.graph.topics.rules import LONGEST


class ItemNames(NamedTuple):
    """The names of an item that a session holds."""

    entities: Sequence[str]
    themes: Sequence[str]
    is_fragment: bool


class AboutName(NamedTuple):
    """Something that a session is about."""

    key: str
    name: str
    entity: bool
    theme: bool
    durable: bool


def about(items: Sequence[ItemNames], themes: Iterable[str]) -> list[AboutName]:
    """Return what a session is about, sorted by key.

    Args:
        items: The names of the items that it holds.
        themes: Its themes: the dominant ones, or those of its focus and task.
    """
    durable = keys(name for item in items if not item.is_fragment for name in (*item.entities, *item.themes))
    # As a memory spells it, if one does.
    entities = [name for item in sorted(items, key=_is_fragment) for name in item.entities]
    found: dict[str, AboutName] = {}
    for name, entity in [*((name, True) for name in entities), *((name, False) for name in themes)]:
        word = key(name)
        if not 0 < len(word) <= LONGEST:
            continue
        known = found.get(word) or AboutName(word, name, entity=False, theme=False, durable=word in durable)
        found[word] = known._replace(entity=known.entity or entity, theme=known.theme or not entity)
    return [found[word] for word in sorted(found)]


def _is_fragment(item: ItemNames) -> bool:
    return item.is_fragment
