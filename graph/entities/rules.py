"""What an entity is: the bearer of a name within an organisation.

key     the name in NFKC form, case folded, white space collapsed; equal keys are one entity
id      made from the organisation and the key, so that it tells nobody when or by whom it was first named
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.validation import at, list_problems, text_problems

if TYPE_CHECKING:
    from prefrontal.graph.config.tables import LimitsTable
    from prefrontal.graph.errors import InvalidInput

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


# A bulk of memories names the same few again and again.
@lru_cache(maxsize=10_000)
def fold_name(name: str) -> str:
    """Return the key of a name: ` Marie  CURIE` and `Marie Curie` are one entity."""
    return _folded(name)


@lru_cache(maxsize=10_000)
def entity_id(org_id: str, name: str) -> str:
    """Return the id of the entity that bears a name in an organisation, whether it is there or not."""
    digest = hashlib.sha256(f"{org_id}\0{fold_name(name)}".encode()).digest()
    number = int.from_bytes(digest[:16])
    return "ent_" + "".join(_DIGITS[number >> shift & 31] for shift in range(125, -1, -5))


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def unique_names(names: Iterable[EntityName]) -> tuple[EntityName, ...]:
    """Return the names in their order, each entity once, as first written and with the first kind given."""
    found: dict[str, EntityName] = {}
    for given in names:
        earlier = found.setdefault(fold_name(given.name), given)
        if earlier.kind is None and given.kind is not None:
            found[fold_name(given.name)] = EntityName(name=earlier.name, kind=given.kind)
    return tuple(found.values())


def times_named(name: str, text: str) -> int:
    """Return how often a text has the name, and 1 when it is said to mention it in other words."""
    return max(1, _folded(text).count(fold_name(name)))


def entity_problems(names: Sequence[EntityName], limits: LimitsTable, path: str) -> list[InvalidInput]:
    """Return what is wrong with the entities that a memory is said to mention."""
    problems = list_problems(names, path, limits.entities)
    for number, given in enumerate(names[: limits.entities]):
        where = f"{path}[{number}]"
        problems += text_problems(given.name, at(where, "name"), limits.entity_characters)
        problems += text_problems(given.kind, at(where, "kind"), limits.tag_characters)
    return problems
