"""The turns of a session: parts of the use cases that begin a turn, go on with it, or end it.

    lock_membership  before the turn is found or begun: a name stands for one turn in each session (G-153)
    join             after that: a turn is in one session at most, from the first call that names one
    enter            all of it, for a call that needs nothing in between

A call of a turn is activity of its session, also one that does not name the session. What the session holds
stays as it is, whatever becomes of the turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefrontal.graph.errors import Conflict, IllegalTransition, NotFound
from prefrontal.graph.journal.turns import enter_turn
from prefrontal.graph.sessions import store
from prefrontal.graph.sessions.record import TurnMembership
from prefrontal.graph.sessions.update import HAS_ENDED

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.journal.record import TurnRef
    from prefrontal.graph.storage.unit_of_work import Tx

UNKNOWN = "no such session"


async def lock_membership(
    tx: Tx, caller: Caller, session: str | None, turn: str, now: datetime
) -> TurnMembership:
    """Lock the session that a call names for its turn until the commit, and return where the turn belongs.

    Args:
        tx: The transaction.
        caller: Whose turn it is.
        session: The session by its id or the caller's key of it; None if the call names none.
        turn: The turn by its name or its id.
        now: The time of the call.

    Raises:
        NotFound: If the session is unknown or not the caller's.
    """
    if session is None:
        return TurnMembership(turn=turn)
    membership = await store.lock_for_turn(tx, caller, session, turn, now)
    if membership is None:
        raise NotFound(UNKNOWN, field="sessionId")
    return membership


async def join(
    tx: Tx, caller: Caller, membership: TurnMembership, turn_uid: str, present: str | None, now: datetime
) -> None:
    """Put a turn into the session that its call names, and say that its session was used.

    Args:
        tx: The transaction.
        caller: Whose turn it is.
        membership: Where the call says that the turn belongs.
        turn_uid: The id of the turn.
        present: The id of the session that the turn is in; None if it is in none.
        now: The time of the call.

    Raises:
        Conflict: If the turn is in another session.
        IllegalTransition: If the session has ended, and the turn is not in it.
    """
    session = membership.session or present
    if session is None:
        return
    if present is not None and present != session:
        raise Conflict("the turn is in another session, and stays in it", field="sessionId")
    if present is None and membership.has_ended:
        raise IllegalTransition(HAS_ENDED, field="sessionId")
    await store.join_turn(tx, caller, session, turn_uid, now)


async def enter(tx: Tx, caller: Caller, session: str | None, turn: str, now: datetime) -> TurnRef:
    """Begin the turn that a call names, or find it, and put it into the session that the call names.

    Raises:
        NotFound: If the session is unknown or not the caller's.
        Conflict: If the turn is in another session.
        IllegalTransition: If the session has ended, and the turn is not in it.
    """
    membership = await lock_membership(tx, caller, session, turn, now)
    entered = await enter_turn(tx, caller, membership.turn, now, taking=membership.takes_name)
    await join(tx, caller, membership, entered.uid, entered.session_uid, now)
    return entered
