"""The permission that a caller has on a goal (G-034).

permission = the strongest of: the caller's permission in the goal's space, and the shares of the goal or of
an
             ancestor in the same space; read < write < admin
"""

from __future__ import annotations

from collections.abc import Iterable

from prefrontal.graph.caller import Caller, SpacePermission
from prefrontal.graph.cortex.goals.record import Goal

_ORDER = list(SpacePermission)


def includes(has: SpacePermission | None, wanted: SpacePermission) -> bool:
    """Tell whether a permission includes another; None includes nothing."""
    return has is not None and _ORDER.index(has) >= _ORDER.index(wanted)


def permission_of(goal: Goal, caller: Caller, shared: Iterable[str]) -> SpacePermission | None:
    """Return the caller's strongest permission on a goal, by its space or by shares; None for none."""
    spaces = (
        (SpacePermission.READ, caller.readable),
        (SpacePermission.WRITE, caller.writable),
        (SpacePermission.ADMIN, caller.administrable),
    )
    has = [permission for permission, scopes in spaces if goal.scope_id in scopes]
    has += [SpacePermission(name) for name in shared]
    return max(has, key=_ORDER.index, default=None)
