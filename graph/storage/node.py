"""Nodes that belong to the database as a whole and not to one organisation."""

from __future__ import annotations

from typing import ClassVar

from neomodel import DateTimeNeo4jFormatProperty, IntegerProperty, StringProperty, StructuredNode


class Lease(StructuredNode):
    """The exclusive right to migrate the schema or to run a job, until `expires_at`.

    `fence` rises with every change of owner, so that writes of an earlier owner can be refused.
    """

    name = StringProperty(unique_index=True)
    owner = StringProperty(required=True, help_text="Empty while no process holds the lease.")
    fence = IntegerProperty(required=True)
    expires_at = DateTimeNeo4jFormatProperty(required=True)
    touched_at = DateTimeNeo4jFormatProperty(required=True)
    worked_at = DateTimeNeo4jFormatProperty(help_text="When a job last did a batch under the lease.")


class KeyLock(StructuredNode):
    """A key of a space that a transaction holds until its commit. It is deleted where it is created.

    So there is none that anybody could read: a second transaction with the same key waits for the
    uniqueness constraint, and there is nothing to clear away.

    The key `texts` alone stays, one for a space: who finds it shares it with others who find it, and who
    deletes it and creates it again waits for all of them. Who stores an observation finds it, who forgets a
    text creates it.
    """

    composite_unique: ClassVar[tuple[tuple[str, ...], ...]] = (("scope_id", "key"),)

    scope_id = StringProperty(required=True)
    key = StringProperty(required=True)


class Migration(StructuredNode):
    """A schema migration that was applied to this database."""

    number = IntegerProperty(unique_index=True)
    name = StringProperty(required=True)
    checksum = StringProperty(required=True)
    created_at = DateTimeNeo4jFormatProperty(required=True)
