"""By which path each item came into a context: from the prompt over what led to it.

    path(x) = path(via(x)), via(x)       nothing if the prompt itself led to x

For example an entity that the prompt names, a memory that mentions it, the goal that the memory is evidence
for, and then an open action of the goal. Each is the id of a node; the last one is `via`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from prefrontal.graph.context.record import Candidate


def with_paths(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return candidates with their paths, as far as what led to them is among them."""
    known = {each.uid: each for each in candidates}
    return [each.model_copy(update={"path": _path(each, known)}) for each in known.values()]


def _path(candidate: Candidate, known: Mapping[str, Candidate]) -> tuple[str, ...]:
    path: list[str] = []
    at: Candidate | None = candidate
    while at is not None and at.via is not None and at.via not in path:
        path.append(at.via)
        at = known.get(at.via)
    return tuple(reversed(path))
