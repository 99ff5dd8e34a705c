"""The broker NATS JetStream.

A message is a CloudEvent in structured mode: its content type is `application/cloudevents+json`. Its header
`Nats-Msg-Id` is the id of the event, by which the stream recognises what it has. The stream is made when it
is not there; one that is there is used as it is.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import structlog
from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.errors import MaxPayloadError
from nats.js import JetStreamContext
from nats.js.api import Header, StorageType, StreamConfig
from nats.js.errors import APIError, NotFoundError

from prefrontal.graph.outbox.broker import Away, Refusal

if TYPE_CHECKING:
    from prefrontal.graph.config.outbox_tables import PublishTable
    from prefrontal.graph.config.settings import Settings
    from prefrontal.graph.outbox.broker import Message

log = structlog.get_logger(__name__)

CONTENT_TYPE = "application/cloudevents+json; charset=UTF-8"
_HEADER_LINES = len(b"NATS/1.0\r\n") + len(b"\r\n")
_HEADER_LINE = len(b": \r\n")
_CLIENT_ERROR, _SERVER_ERROR = 400, 500
_FULL = frozenset({10002, 10023, 10028, 10047, 10060, 10077})
"""Errors of the kind "bad request" that are about the stream or the account, and not about the message."""


class JetStream:
    """Sends messages to a stream of a NATS server."""

    def __init__(self, settings: Settings, table: PublishTable) -> None:
        self._settings = settings
        self._table = table
        self._client: Client | None = None
        self._context: JetStreamContext | None = None
        self._answers: set[asyncio.Future[Any]] = set()
        self._connecting = asyncio.Lock()

    async def send(self, message: Message) -> None:
        """Store a message in the stream.

        Raises:
            Refusal: If it is too large, or the stream will not take it for another reason.
            Away: If the server is not reached, does not answer in time, or the stream takes nothing now.
        """
        context = await self._connected()
        headers = {
            Header.MSG_ID.value: message.uid,
            Header.EXPECTED_STREAM.value: self._settings.nats_stream,
            "Content-Type": CONTENT_TYPE,
        }
        size = len(message.payload) + _HEADER_LINES
        size += sum(len(name) + len(value) + _HEADER_LINE for name, value in headers.items())
        most = context._nc.max_payload  # noqa: SLF001 - the server closes the connection of who sends more
        if size > most:
            raise Refusal(f"the message has {size} bytes with its headers, and the server takes {most}")
        answer = asyncio.ensure_future(
            context.publish(
                message.topic, message.payload, timeout=self._table.answer_seconds, headers=headers
            )
        )
        self._answers.add(answer)
        try:
            with _translated():
                await answer
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            # The connection has ended: no answer will come.
            raise Away("the connection has ended") from None
        finally:
            self._answers.discard(answer)

    async def close(self) -> None:
        """End the connection, if there is one."""
        client, self._client, self._context = self._client, None, None
        if client is not None and not client.is_closed:
            with contextlib.suppress(NatsError, OSError, TimeoutError):
                await client.close()

    async def _connected(self) -> JetStreamContext:
        async with self._connecting:
            if self._context is not None and self._client is not None and self._client.is_connected:
                return self._context
            await self.close()
            with _translated():
                async with asyncio.timeout(self._table.answer_seconds):
                    self._client = await self._connect()
                    context = self._client.jetstream(timeout=self._table.answer_seconds)
                    await self._ensure_stream(context)
            self._context = context
            return context

    async def _connect(self) -> Client:
        settings = self._settings

        async def on_error(error: Exception) -> None:
            log.debug("nats_error", error=type(error).__name__)

        async def on_end() -> None:
            for answer in self._answers:
                answer.cancel()

        secret = settings.nats_password, settings.nats_token
        password, token = (None if each is None else each.get_secret_value() for each in secret)
        client = Client()
        try:
            await client.connect(
                (settings.nats_url or "").split(","),
                name="prefrontal",
                user=settings.nats_user,
                password=password,
                token=token,
                # What was sent on a connection that broke is sent again by the publisher, in its order.
                allow_reconnect=False,
                max_reconnect_attempts=1,
                reconnect_time_wait=0,
                connect_timeout=max(1, int(self._table.answer_seconds)),
                error_cb=on_error,
                disconnected_cb=on_end,
                closed_cb=on_end,
            )
        except BaseException:
            # Else the socket of a server that does not speak stays open.
            await client.close()
            raise
        return client

    async def _ensure_stream(self, context: JetStreamContext) -> None:
        name, prefix = self._settings.nats_stream, self._settings.nats_subject_prefix
        try:
            await context.stream_info(name)
        except NotFoundError:
            made = StreamConfig(
                name=name,
                subjects=[f"{prefix}.>"],
                storage=StorageType.FILE,
                duplicate_window=self._table.duplicate_seconds,
            )
            # Another process may have made it meanwhile, with the same settings.
            await context.add_stream(made)
            log.info("nats_stream_made", stream=name, subjects=f"{prefix}.>")


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    """Raise what the client raises as one of the two.

    Raises:
        Refusal: If the server will not take the message.
        Away: If it takes none now.
    """
    try:
        yield
    except MaxPayloadError as error:
        raise Refusal("the message is larger than the server takes") from error
    except APIError as error:
        code = error.code or _SERVER_ERROR
        if _CLIENT_ERROR <= code < _SERVER_ERROR and error.err_code not in _FULL:
            raise Refusal(error.description or str(error)) from error
        raise Away(error.description or str(error)) from error
    except (NatsError, OSError, TimeoutError) as error:
        raise Away(str(error) or type(error).__name__) from error
