"""Who may do what with what belongs to a space: every role with every operation.

The table of the two (`tests.graph.rights`) is the test: what is refused is told as `not_found` to who cannot
read the target, and as `forbidden` to who can, and then the whole organisation is as it was.
"""

from __future__ import annotations

import pytest

from tests.graph.rights import actions, goals, observations, questions
from tests.graph.rights.stage import (
    OPERATIONS,
    ROLES,
    Operation,
    Role,
    Stage,
    Target,
    dump,
    each_role,
    expected,
    outcome_code,
    stage,
    target_of,
)

__all__ = ["actions", "goals", "observations", "questions", "stage"]


@pytest.mark.covers("SEC-11", "SEC-12", "SEC-14")
@each_role(ROLES)
async def test_a_role_may_do_what_the_table_says_and_what_is_refused_writes_nothing(
    stage: Stage, role: Role, *, nightly: bool
) -> None:
    caller, wrong = stage.callers[role.name], []
    shown = await stage.revised()
    before = await dump(stage.world)
    for wanted in OPERATIONS:
        codes = expected(role, wanted)
        if codes and (said := await outcome_code(wanted, stage, caller, shown)) not in codes | nothing(
            wanted
        ):
            wrong.append((wanted.name, said, codes))
    assert wrong == []
    # Compared as a whole; what differs tells by its label and time which operation wrote it.
    assert await dump(stage.world) == before

    # What is refused is tried by every role with each change; what is allowed by one in eight.
    for number, wanted in enumerate(OPERATIONS, ROLES.index(role)):
        if not expected(role, wanted) and (nightly or number % 8 == 0):
            target = await target_of(stage, wanted) if wanted.writes else shown
            assert await wanted.attempt(stage, caller, target), wanted.name


def nothing(wanted: Operation) -> set[str]:
    """A read finds nothing, as with an id that there is not."""
    return set() if wanted.writes else {"nothing"}


async def test_what_is_foreign_is_refused_like_what_is_not_there(stage: Stage) -> None:
    gone = Target(
        *(f"{prefix}_01JBXM3Z8K0QF3W4T9V2C7H5RD" for prefix in ("goal", "act", "qst", "story", "obs"))
    )
    by_space = {"goal_create", "observation_create", "space_grant"}
    for wanted in OPERATIONS:
        if wanted.name in by_space:
            continue
        said = [
            await outcome_code(wanted, stage, stage.callers["stranger"], target)
            for target in (stage.seen, gone)
        ]
        assert said[0] == said[1], wanted.name


def test_every_role_is_refused_something_and_every_operation_refuses_somebody() -> None:
    for role in ROLES:
        assert [wanted.name for wanted in OPERATIONS if not expected(role, wanted)] or role.space is None
    for wanted in OPERATIONS:
        assert [role.name for role in ROLES if expected(role, wanted)]
        assert [role.name for role in ROLES if not expected(role, wanted)]
