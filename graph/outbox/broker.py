"""What the publisher needs of a message broker.

sent       the broker has stored the message, or had stored one with the same id before
Refusal    the broker answers that it will not take this message; others it may take
Away       the broker is not reached, does not answer in time, or takes no message now
"""

from __future__ import annotations

from typing import Protocol

from prefrontal.graph.record import Record


class Message(Record):
    """An event as a broker gets it."""

    uid: str
    """The id of the event: the broker stores one message with it."""
    seq: int
    subject: str
    """The id of the changed record: messages about it keep their order."""
    topic: str
    """Where the broker stores it."""
    payload: bytes
    """The CloudEvent as JSON."""


class Refusal(Exception):
    """The broker will not take a message."""


class Away(Exception):
    """The broker takes no message now."""


class Broker(Protocol):
    """Stores messages for others; connects by itself when it is used."""

    async def send(self, message: Message) -> None:
        """Return once the message is stored.

        Raises:
            Refusal: If the broker will not take it.
            Away: If the broker takes no message now; it is not known whether this one is stored.
        """
        ...

    async def close(self) -> None:
        """End the connection, if there is one."""
        ...
