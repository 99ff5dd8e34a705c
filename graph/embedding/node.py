"""Node classes of the vectors of what is searched."""

from __future__ import annotations

from typing import ClassVar

from neomodel import IntegerProperty, StringProperty, StructuredNode

from prefrontal.graph.node import Properties, Searchable


class Embedding(StructuredNode):
    """Which encoder's vectors the two slots hold, and which slot searches use. There is one, `memory`.

    Vectors of different encoders cannot be compared. A statement that writes or searches vectors reads this
    node itself, so that every process follows a change at once.
    """

    name = StringProperty(unique_index=True)
    serving = StringProperty(required=True, help_text="The slot that searches use: a or b.")
    a = StringProperty(help_text="The name of the encoder whose vectors are in `embedding_a`.")
    b = StringProperty(help_text="The name of the encoder whose vectors are in `embedding_b`.")
    after = StringProperty(help_text="The id of the last text that a running `reembed` has looked at.")
    terms = IntegerProperty(help_text="The version of the terms of all texts; none before the first one.")
    terms_after = StringProperty(help_text="The id of the last text that `renew_terms` has looked at.")


class Unembedded(Searchable):
    """A memory, goal, question or story that can be found and was not encoded for the slot that searches use.

    It has the labels of its kind beside this one.
    """

    __optional_labels__: ClassVar[list[str]] = []
    accompanies = True
    composite_indexes: ClassVar[tuple[Properties, ...]] = (("uid",),)

    # No constraint of its own: the labels of its kind have one.
    uid = StringProperty(required=True)
    speaker = StringProperty(help_text="Who said it, of a message.")
