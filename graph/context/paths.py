"""By which path each item came into a context: from the prompt over what led to it.

    path(x) = path(via(x)), via(x)       nothing if the prompt itself led to x

For example an entity that the prompt names, a memory that mentions it, the goal that the memory is evidence
for, and then an open action of the goal; or the session of the turn, and an earlier one that it is related
to. Each is the id of a node; the last one is `via`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from prefrontal.graph.context.record import Candidate


def with_paths(candidates: Iterable[Candidate], led: Mapping[str, str] | None = None) -> list[Candidate]:
    """Return candidates with their paths, as far as what led to them is known.

    Args:
        candidates: The candidates; each says what led to it.
        led: What led to what is no candidate, such as a session to an earlier one, by id.
    """
    known = {each.uid: each for each in candidates}
    vias = {**(led or {}), **{uid: each.via for uid, each in known.items()}}
    return [
        each if each.via is None else each.model_copy(update={"path": _path(each.uid, vias)})
        for each in known.values()
    ]


def _path(uid: str, vias: Mapping[str, str | None]) -> tuple[str, ...]:
    path: list[str] = []
    via = vias[uid]
    while via is not None and via not in path:
        path.append(via)
        via = vias.get(via)
    return tuple(reversed(path))
