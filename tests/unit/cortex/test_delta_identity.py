"""Which deltas of a turn are the same, and which are decided together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.turns.delta_identity import body_of, request_of, runs_of
from prefrontal.graph.turns.record import Delta, DeltaKind, TurnAction, TurnCompletion, TurnProgress


def step(delta: float = 0.1, key: str | None = None, path: str = "progress[0]", **fields: str) -> Delta:
    body = TurnProgress(goal_id="goal_1", delta=delta, key=key, **fields)
    return Delta(kind=DeltaKind.PROGRESS, path=path, body=body)


def action(uid: str | None = None, key: str | None = None) -> Delta:
    body = TurnAction(id=uid, client_key=key) if key else TurnAction(id=uid)
    return Delta(kind=DeltaKind.UPDATED_ACTION, path="updatedActions[0]", body=body)


def done(uid: str) -> Delta:
    return Delta(kind=DeltaKind.COMPLETED_ACTION, path="completedActions[0]", body=TurnCompletion(id=uid))


def request(delta: Delta, turn_id: str = "t", scope_id: str = "s", before: int = 0) -> str:
    return request_of(delta, body_of(delta, scope_id), turn_id, before)


def test_the_same_is_the_same_wherever_it_stands() -> None:
    assert request(step(path="progress[7]")) == request(step())


def test_it_is_another_in_another_turn_in_another_space_and_when_it_says_something_else() -> None:
    others = [
        request(step()),
        request(step(), "u"),
        request(step(), "t", "r"),
        request(step(0.2)),
        request(step(note="so")),
        request(done("act_1")),
        # The second equal step of one call, and the third.
        request(step(), before=1),
        request(step(), before=2),
    ]
    assert len(set(others)) == len(others)


def test_a_key_names_it_whatever_it_says() -> None:
    assert request(step(key="a")) == request(step(0.2, key="a")) == request(step(key="a"), before=1)
    other = done("act_1")
    other = other.model_copy(update={"body": other.body.model_copy(update={"key": "a"})})
    assert request(step(key="a")) == request(other)
    assert request(step(key="a")) != request(step(key="a"), "u")
    assert body_of(step(key="a"), "s") != body_of(step(0.2, key="a"), "s")


def test_what_is_left_out_is_not_what_is_cleared() -> None:
    left = action("act_1")
    cleared = left.model_copy(update={"body": left.body.model_copy(update={"effort": None})})
    assert body_of(left, "s") != body_of(cleared, "s")


def test_steps_are_decided_together_and_completions_alone() -> None:
    deltas = [step(), step(0.2), done("act_1"), done("act_2"), step(0.3)]

    assert runs_of(deltas) == [deltas[:2], [deltas[2]], [deltas[3]], [deltas[4]]]


def test_one_action_is_decided_once_in_a_run_and_ids_and_keys_are_not_mixed() -> None:
    deltas = [action("act_1"), action(), action("act_2"), action("act_1"), action(key="a"), action(key="a")]

    assert [len(run) for run in runs_of(deltas)] == [3, 1, 1, 1]


@given(st.lists(st.sampled_from([step(), action(), action("act_1"), action(key="a"), done("act_1")])))
def test_runs_keep_the_order_and_lose_nothing(deltas: list[Delta]) -> None:
    assert [delta for run in runs_of(deltas) for delta in run] == deltas
