"""The identity of an entity: a named thing within an organisation.

key     the name in NFKC form, case-folded, with white space collapsed; names with equal keys are one entity
id      derived from the organisation and the key, so that the id does not reveal when the entity was created
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache

from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.text.folding import fold

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


# The memories of a large batch mostly name the same few entities, so keys and ids are cached.
@lru_cache(maxsize=10_000)
def fold_name(name: str) -> str:
    """Return the key of a name: ` Marie  CURIE` and `Marie Curie` have the same key."""
    return fold(name)


@lru_cache(maxsize=10_000)
def entity_id(org_id: str, name: str) -> str:
    """Return the id of the entity with a name in an organisation. The entity need not exist."""
    digest = hashlib.sha256(f"{org_id}\0{fold_name(name)}".encode()).digest()
    number = int.from_bytes(digest[:16])
    return "ent_" + "".join(_DIGITS[number >> shift & 31] for shift in range(125, -1, -5))


def unique_names(names: Iterable[EntityName]) -> tuple[EntityName, ...]:
    """Return each entity once, in order, with the first spelling and the first kind that is given."""
    found: dict[str, EntityName] = {}
    for entity in names:
        earlier = found.setdefault(fold_name(entity.name), entity)
        if earlier.kind is None and entity.kind is not None:
            found[fold_name(entity.name)] = EntityName(name=earlier.name, kind=entity.kind)
    return tuple(found.values())


def times_named(name: str, text: str) -> int:
    """Return how often a text contains a name.

    The result is at least 1, because the text may mention the entity in other words.
    """
    return max(1, fold(text).count(fold_name(name)))
