"""Graph schema of the definitions in the files of a registry, one node for each version."""

from __future__ import annotations

from typing import ClassVar

from neomodel import DateTimeNeo4jFormatProperty, IntegerProperty, StringProperty, StructuredNode


class TypeDefinition(StructuredNode):
    """One version of a definition in the files of a registry; the files belong to no organisation.

    `actions.yaml`, the settings for all types, has versions like a type.
    """

    composite_unique: ClassVar[tuple[tuple[str, ...], ...]] = (("registry", "type_id", "number"),)

    registry = StringProperty(required=True, help_text="The name of the registry, from the settings.")
    type_id = StringProperty(required=True, help_text="The id of the type, or `actions.yaml`.")
    number = IntegerProperty(required=True, help_text="The version, from 1.")
    type_uid = StringProperty(
        required=True, help_text="The id of the definition in events; all versions share it."
    )
    hash = StringProperty(required=True, help_text="SHA-256 of the definition.")
    definition = StringProperty(required=True, help_text="The content of the file, JSON.")
    retired_statuses = StringProperty(
        required=True,
        help_text="Dropped statuses that actions may still have, each with its next ones, JSON.",
    )
    state = StringProperty(required=True, help_text="in_force, or retired: the file is gone.")
    since = DateTimeNeo4jFormatProperty(help_text="Since when; missing in what was recorded first.")
    until = DateTimeNeo4jFormatProperty(help_text="When the next version took its place.")
