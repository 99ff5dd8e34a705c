"""Simple buffers to compare a session with: whoever is offered is admitted, and one leaves if it is full.

    fifo       the item that was admitted first leaves
    lru        the item that was used last the longest time ago; its admission counts as a use
    salience   the item with the lowest salience; of equal ones the older
    random     any, by a seed

What was just admitted stays, as in the service.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from prefrontal.graph.sessions.record import Item

Choice = Callable[[Sequence[Item], Random], Item]
"""Chooses the item that leaves; the items are in the order of their admission."""

CHOICES: dict[str, Choice] = {
    "fifo": lambda items, _: items[0],
    "lru": lambda items, _: min(items, key=lambda item: item.last_access),
    "salience": lambda items, _: min(items, key=lambda item: item.salience),
    "random": lambda items, random: random.choice(items),
}


def admitted(items: Sequence[Item], item: Item, capacity: int, choose: Choice, random: Random) -> list[Item]:
    """Return what a buffer holds after an item was added to it."""
    if len(items) < capacity:
        return [*items, item]
    leaves = choose(items, random)
    return [*(each for each in items if each is not leaves), item]
