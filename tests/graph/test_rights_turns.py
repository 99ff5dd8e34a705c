"""What a turn begins with and leaves behind: for every role what it may do without a turn, and no more.

Whoever may write has turns of its own, in a space of its own. So a turn is refused to nobody else; what it
names, and what becomes of each of its deltas, follows from the table of `tests.graph.rights`.
"""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.cortex.questions.record import (
    QuestionDraft,
    StoryDraft,
)
from prefrontal.graph.errors import Forbidden, PrefrontalError
from prefrontal.graph.turns.record import (
    CommitAtTurnEnd,
    Delta,
    DeltaKind,
    StartTurn,
    StartTurnSizes,
    TurnAction,
    TurnCompletion,
    TurnProgress,
    TurnStory,
)
from tests.graph.rights import actions, goals, questions
from tests.graph.rights.stage import OPERATIONS, ROLES, Role, Stage, Target, dump, each_role, expected, stage
from tests.support.turns import InAnyOrder

__all__ = ["actions", "goals", "questions", "stage"]

WRITERS = [role for role in ROLES if not role.reader]
READERS = [role for role in ROLES if role.reader]
WANTED = {wanted.name: wanted for wanted in OPERATIONS}
OF_A_TURN = {"Turn", "TraceEvent", "Request"}


def allowed(role: Role, name: str) -> bool:
    return not expected(role, WANTED[name])


def deltas_of(target: Target) -> dict[str, Delta]:
    """What a turn leaves behind, by the operation that does the same without one."""
    return {
        "goal_progress": Delta(
            kind=DeltaKind.PROGRESS,
            path="progress[0]",
            body=TurnProgress(goal_id=target.goal, delta=0.1),
        ),
        "action_create": Delta(
            kind=DeltaKind.NEW_ACTION,
            path="newActions[0]",
            body=TurnAction(goal_id=target.goal, title="n"),
        ),
        "action_change": Delta(
            kind=DeltaKind.UPDATED_ACTION,
            path="updatedActions[0]",
            body=TurnAction(id=target.action, title="n"),
        ),
        "action_complete": Delta(
            kind=DeltaKind.COMPLETED_ACTION,
            path="completedActions[0]",
            body=TurnCompletion(id=target.action),
        ),
        "story_change": Delta(
            kind=DeltaKind.STORY_UPDATE,
            path="storyUpdates[0]",
            body=TurnStory(
                question=QuestionDraft(id=target.question, text="s"),
                story=StoryDraft(id=target.story, narrative="o"),
            ),
        ),
    }


TOUCHED = {
    "goal_progress": ["goal"],
    "action_create": [],
    "action_change": ["action"],
    "action_complete": ["action"],
    "story_change": ["question", "story"],
}


async def nodes_of(stage: Stage) -> dict[str, dict[str, Any]]:
    """The nodes of the organisation, without the times of the locks that whoever looks at one takes."""
    nodes, _ = await dump(stage.world)
    return {
        node["id"]: {**node, "has": {k: v for k, v in node["has"].items() if k != "locked_at"}}
        for node in nodes
    }


async def edges_of(stage: Stage) -> list[Any]:
    return (await dump(stage.world))[1]


@pytest.mark.covers("SEC-11", "SEC-12", "SEC-14")
@each_role(WRITERS)
async def test_a_turn_begins_with_what_its_caller_may_list(stage: Stage, role: Role) -> None:
    caller, target = stage.callers[role.name], await stage.revised()
    before = await nodes_of(stage)

    begun = await stage.services.turns.start.start(
        caller,
        StartTurn(turn_id=f"start-{role.name}", most=StartTurnSizes(goals=100, actions=100, questions=100)),
    )

    acts = {action.uid for action in (*begun.agent_actions, *begun.user_actions)}
    assert (target.goal in {goal.uid for goal in begun.goals}) == allowed(role, "goal_list")
    assert (target.action in acts) == allowed(role, "action_list")
    assert (target.question in {asked.question.uid for asked in begun.questions}) == allowed(
        role, "question_list"
    )
    told = {story.uid for asked in begun.questions for story in asked.stories}
    assert (target.story in told) == allowed(role, "question_list")
    after = await nodes_of(stage)
    assert {key: after[key] for key in before} == before
    made = [node for key, node in after.items() if key not in before]
    assert sorted(node["labels"][0] for node in made) == ([] if role.foreign else ["TraceEvent", "Turn"])
    assert {node["has"]["scope_id"] for node in made} <= {caller.home}


@each_role(READERS)
async def test_who_may_only_read_begins_and_ends_no_turn(stage: Stage, role: Role) -> None:
    caller, target = stage.callers[role.name], await stage.revised()
    before = await dump(stage.world)

    with pytest.raises(Forbidden):
        await stage.services.turns.start.start(caller, StartTurn(turn_id="t"))
    with pytest.raises(Forbidden):
        await stage.services.turns.commit.commit(
            caller, InAnyOrder(turn_id="t", given=tuple(deltas_of(target).values()))
        )

    assert await dump(stage.world) == before


async def test_a_turn_and_its_trace_are_read_by_whose_it_is(stage: Stage) -> None:
    await stage.services.turns.start.start(stage.owner, StartTurn(turn_id="mine"))

    read = {}
    for role in ROLES:
        caller = stage.callers[role.name]
        turn = await stage.services.turns.trace.get(caller, "mine")
        trace = await stage.services.turns.trace.trace(caller, "mine")
        read[role.name] = (turn is not None, len(trace.items))

    mine = {"owner", "read-only-token-of-the-owner"}
    assert read == {role.name: (True, 1) if role.name in mine else (False, 0) for role in ROLES}


@pytest.mark.covers("SEC-11", "SEC-12", "SEC-14")
@each_role(WRITERS)
async def test_of_a_turns_end_each_delta_is_allowed_or_refused_as_without_a_turn(
    stage: Stage, role: Role
) -> None:
    caller, target = stage.callers[role.name], await stage.revised()
    deltas = deltas_of(target)
    before, links = await nodes_of(stage), await edges_of(stage)
    stage.world.clock.advance(minutes=1)

    results = await stage.services.turns.commit.commit(
        caller, InAnyOrder(turn_id=f"end-{role.name}", given=tuple(deltas.values()))
    )

    wrong = []
    for name, result in zip(deltas, results, strict=True):
        codes, said = expected(role, WANTED[name]), result.problem.code if result.problem else None
        if said not in (codes or {None}):
            wrong.append((name, said, codes))
        if codes:
            assert (result.goal, result.action, result.question, result.story) == (None,) * 4
    assert wrong == []
    mine = [name for name in deltas if allowed(role, name)]
    after = await nodes_of(stage)
    changed = {after[key]["has"]["uid"] for key, node in before.items() if after[key] != node}
    assert changed == {getattr(target, kind) for name in mine for kind in TOUCHED[name]}
    made = [node for key, node in after.items() if key not in before]
    if not mine:
        # Of all that was refused there is the turn and what it says of itself, where nobody else reads.
        assert {label for node in made for label in node["labels"]} == (set() if role.foreign else OF_A_TURN)
        assert {node["has"]["scope_id"] for node in made} <= {caller.home}
        assert [edge for edge in await edges_of(stage) if edge in links] == links
    refused = [node["has"] for node in made if node["has"].get("kind") == "delta_refused"]
    assert len(refused) == (0 if role.foreign else len(deltas) - len(mine))
    # An id that the caller may not read is not even kept in its own trace.
    unseen = {"stranger", "other-organisation"}
    assert {uid for has in refused for uid in has["ids"]} <= (
        set() if role.name in unseen else {target.goal, target.action}
    )


@pytest.mark.covers("SEC-11", "SEC-12", "SEC-14")
async def test_a_turn_ends_in_a_space_that_may_be_written_to_or_not_at_all(stage: Stage) -> None:
    made = TurnStory(question=QuestionDraft(text="new"))
    before = await dump(stage.world)
    for role in ROLES:
        if codes := expected(role, WANTED["question_create"]):
            with pytest.raises(PrefrontalError) as caught:
                await stage.services.turns.commit.commit(
                    stage.callers[role.name],
                    CommitAtTurnEnd(turn_id="in-a-space", story_updates=(made,), space=stage.space),
                )
            assert caught.value.code in codes, role.name
    assert await dump(stage.world) == before

    for role in ROLES:
        if allowed(role, "question_create"):
            (result,) = await stage.services.turns.commit.commit(
                stage.callers[role.name],
                CommitAtTurnEnd(turn_id=f"in-{role.name}", story_updates=(made,), space=stage.space),
            )
            assert result.question, role.name
            assert result.question.scope_id == stage.space
