"""Whatever is sent at the end of a turn, in whatever portions and however often, gives the same graph."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prefrontal.graph.caller import Caller
from prefrontal.graph.cortex.actions.record import (
    PendingActionUpsert,
    UpsertPendingActions,
)
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.cortex.questions.record import (
    QuestionDraft,
    StoryDraft,
)
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.turns.record import (
    Delta,
    DeltaKind,
    TurnAction,
    TurnCompletion,
    TurnProgress,
    TurnStory,
)
from tests.support.canonical import canonical, nodes_and_edges
from tests.support.turns import InAnyOrder
from tests.support.world import World

pytestmark = pytest.mark.slow

# Stands for an id that differs from agent to agent.
GOAL, SEEN = "the goal", "the observation"
KEYS = st.sampled_from([None, None, None, "k1", "k2"])
ACTIONS = st.sampled_from(["do", "sign", "a", "b"])
TITLES = st.sampled_from(["one", "two"])


def delta(kind: DeltaKind, body: st.SearchStrategy[Any]) -> st.SearchStrategy[Delta]:
    keyed = st.builds(lambda said, key: said.model_copy(update={"key": key}), body, KEYS)
    return st.builds(Delta, kind=st.just(kind), path=st.just("x"), body=keyed)


steps = delta(
    DeltaKind.PROGRESS,
    st.builds(
        TurnProgress,
        goal_id=st.sampled_from([GOAL, GOAL, GOAL, "goal_01JBXM3Z8K0QF3W4T9V2C7H5RD"]),
        delta=st.sampled_from([-0.5, 0.1, 0.25, 0.5, 1.0]),
        note=st.sampled_from([None, "so"]),
    ),
)
made = delta(
    DeltaKind.NEW_ACTION,
    st.builds(
        lambda title, key, kind, goal: TurnAction(goal_id=goal, title=title, client_key=key, type=kind),
        TITLES,
        st.sampled_from([None, "a", "b"]),
        st.sampled_from(["agent_task", "user_task", "dance"]),
        st.sampled_from([None, GOAL]),
    ),
)
changed = delta(
    DeltaKind.UPDATED_ACTION,
    st.builds(
        lambda key, fields, version: TurnAction(
            expected_version=version, client_key=key, **({"title": "new"} | fields)
        ),
        ACTIONS,
        st.sampled_from([{"title": "one"}, {"title": "two"}, {"effort": 2.0}, {"priority": "critical"}]),
        st.sampled_from([None, None, 1]),
    ),
)
done = delta(
    DeltaKind.COMPLETED_ACTION,
    st.builds(TurnCompletion, client_key=ACTIONS, result=st.sampled_from([None, {"pages": 3}])),
)
told = delta(
    DeltaKind.STORY_UPDATE,
    st.builds(
        lambda question, text, goal, story, criteria, refs: TurnStory(
            question=QuestionDraft(
                client_key=question, **({"text": text} if text else {}), **({"goal_id": goal} if goal else {})
            ),
            story=StoryDraft(
                client_key="story", narrative=story, acceptance_criteria=criteria, evidence_refs=refs
            )
            if story
            else None,
        ),
        st.sampled_from(["q1", "q2"]),
        st.sampled_from([None, "Why?", "How?"]),
        st.sampled_from([None, GOAL]),
        st.sampled_from([None, "So", "Not so"]),
        st.sampled_from([(), ("it works",)]),
        st.sampled_from([(), (SEEN,), ("a log",), ("obs_01JBXM3Z8K0QF3W4T9V2C7H5RD",)]),
    ),
)
sequences = st.lists(st.one_of(steps, made, changed, done, told), min_size=1, max_size=6)


def once_each(deltas: list[Delta]) -> list[Delta]:
    """The deltas without repetitions: equal ones without a key are two in one call, and one in two calls."""
    seen: list[Any] = []
    kept = []
    for item in deltas:
        said = (item.kind, item.body.model_dump(exclude_unset=True))
        if item.key is not None or said not in seen:
            kept.append(item)
        seen.append(said)
    return kept


@st.composite
def portions(draw: st.DrawFn) -> tuple[list[Delta], list[list[Delta]], list[list[Delta]]]:
    """A sequence, the same in portions some of which are sent again later, and portions in any order."""
    whole = once_each(draw(sequences))
    cuts = sorted(draw(st.sets(st.integers(1, len(whole)), max_size=2)))
    parts = [whole[start:end] for start, end in itertools.pairwise([0, *cuts, len(whole)]) if start < end]
    sent: list[list[Delta]] = []
    for number, part in enumerate(parts):
        sent.append(part)
        if draw(st.booleans()):
            sent.append(parts[draw(st.integers(0, number))])
    mixed = draw(st.permutations(whole))
    middle = draw(st.integers(0, len(mixed)))
    return whole, sent, [part for part in (mixed[:middle], mixed[middle:]) if part]


class Side:
    """An agent of its own with the same things at the start."""

    def __init__(self, world: World, caller: Caller, names: dict[str, str]) -> None:
        self.world = world
        self.caller = caller
        self.names = names

    @classmethod
    async def of(cls, world: World, name: str) -> Side:
        caller, services = await world.caller(name), world.services
        (seen,) = await services.scratch.service.add(caller, [ObservationDraft(content="it works")])
        goal = await services.goals.service.create(caller, CreateGoal(title="Plan"))
        actions = (
            PendingActionUpsert(goal_id=goal.uid, title="do", type="agent_task", client_key="do"),
            PendingActionUpsert(goal_id=goal.uid, title="sign", type="user_task", client_key="sign"),
        )
        await services.actions.upsert.upsert(caller, UpsertPendingActions(actions=actions))
        return cls(world, caller, {GOAL: goal.uid, SEEN: seen.uid})

    async def send(self, deltas: list[Delta]) -> list[tuple[Any, ...]]:
        """Send the deltas; return what is told of each that is the same whenever it is told."""
        own = [self._own(delta, number) for number, delta in enumerate(deltas)]
        results = await self.world.services.turns.commit.commit(
            self.caller, InAnyOrder(turn_id="turn-1", given=tuple(own))
        )
        return [
            (r.kind, r.before, r.after, r.created, r.problem.code if r.problem else None) for r in results
        ]

    async def stored(self) -> Any:
        return await nodes_and_edges(self.world, self.caller.home)

    async def canonical(self) -> Any:
        known = {self.caller.actor_id: "me", self.caller.home: "home", self.world.org_id: "org"}
        return canonical(*await self.stored(), known)

    def _own(self, delta: Delta, number: int) -> Delta:
        body = delta.body
        match body:
            case TurnProgress() | TurnAction():
                goal = self.names.get(body.goal_id or "", body.goal_id)
                body = body.model_copy(update={"goal_id": goal}) if body.goal_id else body
            case TurnStory():
                question, story = body.question, body.story
                if question.goal_id:
                    question = question.model_copy(update={"goal_id": self.names[GOAL]})
                if story:
                    refs = tuple(self.names.get(ref, ref) for ref in story.evidence_refs)
                    story = story.model_copy(update={"evidence_refs": refs})
                body = body.model_copy(update={"question": question, "story": story})
        return delta.model_copy(update={"path": f"deltas[{number}]", "body": body})


@pytest.fixture(scope="module")
def numbers() -> Iterator[int]:
    return itertools.count()


@pytest.mark.covers("ACT-22..24")
@settings(
    # Each example is a few hundred statements: with each change there are fewer of them.
    max_examples=settings.default.max_examples
    // (6 if settings.get_current_profile_name() == "change" else 1),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(sent=portions())
async def test_a_sequence_in_any_portions_and_repetitions_gives_the_same_graph(
    world: World,
    numbers: Iterator[int],
    sent: tuple[list[Delta], list[list[Delta]], list[list[Delta]]],
) -> None:
    whole, parts, mixed = sent
    number = next(numbers)
    one, other = await Side.of(world, f"one-{number}"), await Side.of(world, f"other-{number}")

    first = await one.send(whole)
    stored = await one.stored()
    applied = [told for told in first if told[-1] is None]
    for part in parts:
        world.clock.advance(milliseconds=1)
        await other.send(part)

    # What was applied is not applied again, in whatever order; not even a time changes. What was refused is
    # tried again, and may be applied after what came later.
    for part in mixed:
        await one.send(part)
    again = await one.send(whole)
    assert [after for after, before in zip(again, first, strict=True) if before[-1] is None] == applied
    if len(applied) == len(first):
        assert await one.canonical() == await other.canonical()
        assert await one.stored() == stored
    # Whole graphs are compared, and no index leads to everything in a space.
    await world.rows(
        "MATCH (n) WHERE n.scope_id IN $spaces DETACH DELETE n",
        spaces=[one.caller.home, other.caller.home],
    )
