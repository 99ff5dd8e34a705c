"""What belongs to a person, and what goes with it.

    a person's data       what is in its private space; what it wrote elsewhere; what is for it or about it by
                          `userId`, by a mention or by the speaker
    what goes with it     memories, lessons and summaries made from it, goals that evaluation made from it,
                          with their actions, questions and stories; versions, parts, turns' logs and receipts
    what stays            what belongs to the organisation: its rules in the common space, action types and
                          proposals; actors, spaces and grants; ids and codes in the journal

The names of a person are its key and those that are given, without regard to letter case and white space.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from prefrontal.graph.errors import InvalidInput, TooLarge
from prefrontal.graph.text.folding import fold

MOST_NAMES = 50


def names_of(person: str, names: Iterable[str]) -> list[str]:
    """Return the folded names of a person."""
    return sorted({fold(name) for name in (person, *names)})


def spellings_of(stored: Iterable[str], names: Collection[str], person_id: str | None) -> list[str]:
    """Return the stored spellings of a person's names, and its id, which a `userId` may be too."""
    return sorted({spelling for spelling in stored if spelling == person_id or fold(spelling) in names})


def name_problems(names: Iterable[str]) -> list[InvalidInput]:
    """Return what is wrong with a list of names besides their lengths."""
    found = list(names)
    if len(found) > MOST_NAMES:
        return [TooLarge(f"at most {MOST_NAMES} names", field="names")]
    return []
