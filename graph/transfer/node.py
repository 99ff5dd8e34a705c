"""The node class of what is being imported."""

from __future__ import annotations

from neomodel import BooleanProperty, IntegerProperty, StringProperty, StructuredNode


class Importing(StructuredNode):
    """A node of an organisation that is being imported; its own labels come when everything is there.

    Until then no statement but those of the import finds it. One such node, whose id begins with `import_`,
    says how far the import of an organisation is.
    """

    uid = StringProperty(required=True)
    org_id = StringProperty(required=True)
    sha256 = StringProperty(help_text="Of the marker: the checksum of the file.")
    done = IntegerProperty(help_text="Of the marker: how many lines were dealt with, in all three readings.")
    locked = BooleanProperty(help_text="Of the marker: written to take its lock.")
