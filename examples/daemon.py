"""A daemon that is told of every change: it reads the events of one organisation from NATS JetStream.

    pip install nats-py
    NATS_URL=nats://127.0.0.1:4222 ORG=demo python daemon.py mailer

Each daemon has a name of its own and gets its own copy of every event. The server keeps the place of the
name: a daemon that was away, or died before it acknowledged, goes on where it was. An event may therefore
come twice, and is dealt with once, because its id is kept.
"""

import asyncio
import json
import os
import signal
import sqlite3
import sys

import nats
from nats.errors import Error as NatsError
from nats.js.api import ConsumerConfig


def deal_with(event: dict, state: sqlite3.Connection) -> bool:
    """Do what this daemon is for, and keep the id of the event in the same transaction.

    This one keeps the last change of each record. Returns whether the event is new.
    """
    with state:
        new = state.execute("INSERT OR IGNORE INTO done VALUES (?)", (event["id"],)).rowcount == 1
        if new:
            state.execute(
                "INSERT INTO records VALUES (:subject, :subjectversion, :type) ON CONFLICT (subject) "
                "DO UPDATE SET version = excluded.version, type = excluded.type "
                # An event that was sent again by hand may be older than what is known.
                "WHERE excluded.version > version",
                event,
            )
    return new


async def main(name: str) -> None:
    """Read events until it is told to stop."""
    org = os.environ["ORG"].replace(".", "%2E")
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    state = sqlite3.connect(os.environ.get("DAEMON_STATE", f"{name}.sqlite"))
    state.execute("CREATE TABLE IF NOT EXISTS done (id TEXT PRIMARY KEY)")
    state.execute("CREATE TABLE IF NOT EXISTS records (subject TEXT PRIMARY KEY, version INTEGER, type TEXT)")
    client = await nats.connect(
        os.environ.get("NATS_URL", "nats://127.0.0.1:4222"), max_reconnect_attempts=-1
    )
    # What is not acknowledged within `ack_wait` seconds comes again.
    config = ConsumerConfig(ack_wait=float(os.environ.get("ACK_WAIT", "30")))
    subject = f"{os.environ.get('SUBJECTS', 'prefrontal')}.{org}.>"
    events = None
    while events is None and not stopped.is_set():
        try:
            events = await client.jetstream().pull_subscribe(subject, durable=name, config=config)
        except (NatsError, TimeoutError):
            # The stream is made with the first event that is published.
            await asyncio.sleep(1)
    print(f"{name} goes on where it was", file=sys.stderr, flush=True)
    while events and not stopped.is_set():
        try:
            for message in await events.fetch(20, timeout=1):
                event = json.loads(message.data)
                if deal_with(event, state):
                    print(event["seq"], event["type"], event["subject"], flush=True)
                # Only now: who dies before this line gets the event again.
                await message.ack_sync()
        except (NatsError, TimeoutError):
            # Nothing came, or the server is away: the client connects again by itself, and what was not
            # acknowledged comes again.
            continue
    await client.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
