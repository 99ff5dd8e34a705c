"""What belongs to the database as a whole, to no organisation."""

from __future__ import annotations

from neomodel import DateTimeNeo4jFormatProperty, IntegerProperty, StringProperty, StructuredNode


class Lease(StructuredNode):
    """The right to migrate, or to run a job; the fence rises with every change of owner."""

    name = StringProperty(unique_index=True)
    owner = StringProperty(required=True, help_text="Empty when nobody has it.")
    fence = IntegerProperty(required=True)
    expires_at = DateTimeNeo4jFormatProperty(required=True)
    touched_at = DateTimeNeo4jFormatProperty(required=True)


class Migration(StructuredNode):
    """A schema file that was applied."""

    number = IntegerProperty(unique_index=True)
    name = StringProperty(required=True)
    checksum = StringProperty(required=True)
    created_at = DateTimeNeo4jFormatProperty(required=True)
