"""Takes what was forgotten or erased from what turns keep beside the records.

That are exports, summaries and failed parts of commits. It runs inside the transaction that forgets or
erases, before records are deleted.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from prefrontal.graph.journal.record import Change
from prefrontal.graph.turns import rules, store
from prefrontal.graph.turns.commit_events import exports_erased
from prefrontal.graph.turns.rules import ForgottenContent

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.unit_of_work import Tx


async def forget_in_turns(
    tx: Tx, caller: Caller, uids: Iterable[str], texts: Iterable[str], now: datetime
) -> Change:
    """Take forgotten memories from the turns of the spaces that the caller may write to.

    Args:
        tx: The transaction that forgets them and has locked their texts.
        caller: Who forgets.
        uids: The ids of the memories and observations.
        texts: What they say.
        now: The time of the change.
    """
    gone = ForgottenContent(uids=tuple(uids), texts=tuple(texts))
    return await _taken(tx, gone, list(caller.writable), now, named=False)


async def erase_in_turns(
    tx: Tx,
    spaces: Collection[str],
    now: datetime,
    *,
    uids: Iterable[str] = (),
    texts: Iterable[str] = (),
    names: Iterable[str] = (),
) -> Change:
    """Take erased records from the turns of some spaces, and what failed commits still bring about a person.

    Args:
        tx: The transaction that erases the records.
        spaces: The spaces of the organisation.
        now: The time of the change.
        uids: The ids of the records, which are still there.
        texts: What they say.
        names: The folded names of the person.
    """
    gone = ForgottenContent(uids=tuple(uids), texts=tuple(texts), names=frozenset(names))
    return await _taken(tx, gone, list(spaces), now, named=True)


async def _taken(tx: Tx, gone: ForgottenContent, spaces: list[str], now: datetime, *, named: bool) -> Change:
    kept = await store.find_remaining_copies(tx, gone, spaces, named=named)
    telling = [each for each in kept.exports if rules.export_holds(json.loads(each["body"]), gone)]
    exports = {each["uid"]: each for each in [*kept.theirs, *telling]}
    turns = {
        *kept.makers,
        *(each["turn_uid"] for each in exports.values()),
        *(each["uid"] for each in kept.summaries if rules.quotes(each["summary"], gone)),
    }
    parts = []
    for each in kept.parts:
        payload = json.loads(each["payload"])
        less = rules.strip_gone(payload, gone)
        if less != payload:
            parts.append({"uid": each["uid"], "former": each["payload"], "payload": json.dumps(less)})
    if not (exports or turns or parts):
        return Change(result={})
    await store.forget(tx, sorted(exports), sorted(turns), parts, spaces, now)
    return exports_erased([exports[uid] for uid in sorted(exports)])
