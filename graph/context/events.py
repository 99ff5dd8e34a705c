"""What the journal records about an assembled context."""

from __future__ import annotations

from collections.abc import Sequence

from prefrontal.graph.context.record import Receipt, Selection, Source
from prefrontal.graph.journal.record import Change, Event, EventType, Trace, TraceKind


def assembled(receipt: Receipt, selection: Selection, scope_id: str, late: Sequence[Source] = ()) -> Change:
    """Return the result, the trace entry and the event of an assembled context.

    What was `late` is named in the entry: without it the context is a partial one.
    """
    details = {
        "receipt_id": receipt.uid,
        "budget": receipt.budget,
        "used": receipt.used,
        "included": len(receipt.included),
        "excluded": receipt.excluded_counts,
        "missing_mandates": list(selection.missing_mandates),
        "late": [source.value for source in late],
    }
    return Change(
        result={
            "receipt": receipt.uid,
            "turn": receipt.turn_id,
            "turn_uid": receipt.turn_uid,
            "missing_mandates": list(selection.missing_mandates),
        },
        traces=(
            Trace(
                kind=TraceKind.CONTEXT_ASSEMBLED,
                message=_message(selection, partial=bool(late)),
                ids=(receipt.uid,),
                details=details,
                turn=receipt.turn_id,
                scope_id=scope_id,
            ),
        ),
        events=(
            Event(
                type=EventType.CONTEXT_ASSEMBLED,
                aggregate=receipt.uid,
                aggregate_version=1,
                scope_id=scope_id,
                data={"receipt_id": receipt.uid, "turn_id": receipt.turn_id, "used": receipt.used},
                turn=receipt.turn_id,
            ),
        ),
    )


def _message(selection: Selection, *, partial: bool) -> str:
    said = "Context truncated to the budget" if selection.truncated else "Context assembled"
    return f"{said}, without what was late" if partial else said
