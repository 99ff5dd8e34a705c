"""What contradicts each other: both shown, marked and together; and by which path each item came."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.context.contradiction import group_contradicting, with_contradictions
from prefrontal.graph.context.paths import with_paths
from prefrontal.graph.context.record import Candidate, CandidateKind, Distance, Reason, ScoreParts, Section
from tests.unit.context.test_selection import CATALOG, SOURCE

TABLE = CATALOG.context.observation_score


def noted(uid: str, relevance: float = 0.0, *, via: str | None = None) -> Candidate:
    return Candidate(
        uid=uid,
        kind=CandidateKind.OBSERVATION,
        section=Section.SCRATCH_PAGE,
        line=f'- "{uid}"\n',
        score=0.6 * relevance,
        parts=ScoreParts(relevance=relevance, recency=0.0, confidence=0.0),
        reason=Reason.MATCHING if relevance else Reason.RECENT,
        via=via,
        **SOURCE,
        distance=Distance.OWN,
    )


def test_what_contradicts_a_candidate_becomes_one_with_its_relevance() -> None:
    here, plain, there = noted("obs_1", 0.8, via="ent_1"), noted("obs_2", 0.9), noted("obs_3")

    found = with_contradictions([here, plain], {"obs_1": [there]}, 3, TABLE)

    assert [(c.uid, c.contradicts, c.line) for c in found] == [
        ("obs_1", ("obs_3",), '- obs_1 "obs_1" contradicts obs_3\n'),
        ("obs_2", (), '- "obs_2"\n'),
        ("obs_3", ("obs_1",), '- obs_3 "obs_3" contradicts obs_1\n'),
    ]
    assert found[0].model_copy(update={"contradicts": (), "line": here.line}) == here
    assert (found[2].parts.relevance, found[2].score, found[2].reason) == (0.8, 0.48, Reason.MATCHING)
    assert [(c.via, c.path) for c in with_paths(found)] == [
        ("ent_1", ("ent_1",)),
        (None, ()),
        ("obs_1", ("ent_1", "obs_1")),
    ]


def test_of_two_candidates_the_less_relevant_one_becomes_as_relevant_as_the_other() -> None:
    found = with_contradictions(
        [noted("obs_1", 0.3), noted("obs_2", 0.7)],
        {"obs_1": [noted("obs_2")], "obs_2": [noted("obs_1")]},
        3,
        TABLE,
    )

    assert [(c.parts.relevance, c.via, c.contradicts) for c in found] == [
        (0.7, "obs_2", ("obs_2",)),
        (0.7, None, ("obs_1",)),
    ]


def test_the_newest_count_as_far_as_the_limit() -> None:
    many = [noted(f"obs_{number}") for number in range(2, 7)]

    found = with_contradictions([noted("obs_1", 0.5)], {"obs_1": many}, 3, TABLE)

    assert found[0].contradicts == ("obs_6", "obs_5", "obs_4")
    assert {c.uid: c.contradicts for c in found[1:]} == {c.uid: ("obs_1",) for c in many}


def test_what_is_merely_recent_stays_so() -> None:
    (_, other) = with_contradictions([noted("obs_1")], {"obs_1": [noted("obs_2")]}, 3, TABLE)

    assert (other.reason, other.via, other.score) == (Reason.RECENT, "obs_1", 0.0)


def test_each_is_followed_by_what_it_contradicts() -> None:
    one, two, three, four = [noted(f"obs_{number}") for number in range(1, 5)]
    one = one.model_copy(update={"contradicts": ("obs_4", "obs_9")})
    four = four.model_copy(update={"contradicts": ("obs_1",)})

    shown = group_contradicting([(each, 1) for each in (two, one, three, four)])

    assert [each.uid for each, _ in shown] == ["obs_2", "obs_1", "obs_4", "obs_3"]


@given(
    links=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=12),
    relevance=st.lists(st.floats(0, 1), min_size=8, max_size=8),
    most=st.integers(1, 3),
    seed=st.randoms(use_true_random=False),
)
def test_any_contradictions_are_marked_once_and_in_any_order_alike(
    links: list[tuple[int, int]], relevance: list[float], most: int, seed: object
) -> None:
    given_ = [noted(f"obs_{number}", relevance[number]) for number in range(4)]
    found: dict[str, list[Candidate]] = {}
    for one, other in links:
        if one < 4 and one != other:
            found.setdefault(f"obs_{one}", []).append(noted(f"obs_{other}"))

    marked = {each.uid: each for each in with_contradictions(given_, found, most, TABLE)}

    assert set(marked) == {f"obs_{n}" for n in range(4)} | {
        c.uid for others in found.values() for c in others
    }
    for uid, each in marked.items():
        assert len(each.contradicts) <= most
        assert uid not in each.contradicts
        assert each.line.count(" contradicts ") == (1 if each.contradicts else 0)
        assert each.score >= noted(uid, relevance[int(uid[-1])] if int(uid[-1]) < 4 else 0.0).score - 1e-12
    shown = group_contradicting([(each, 0) for each in marked.values()])
    assert sorted(each.uid for each, _ in shown) == sorted(marked)
    seed.shuffle(given_)  # type: ignore[attr-defined]
    again = with_contradictions(given_, dict(reversed(found.items())), most, TABLE)
    assert {each.uid: each for each in again} == marked


@pytest.mark.parametrize(
    ("vias", "path"),
    [
        ({"act_1": "goal_1", "goal_1": "obs_1", "obs_1": "ent_1"}, ("ent_1", "obs_1", "goal_1")),
        ({"act_1": "goal_1", "goal_1": None}, ("goal_1",)),
        # What led to it is no candidate: the path is as far as it is known.
        ({"act_1": "goal_1"}, ("goal_1",)),
        ({"act_1": None}, ()),
    ],
)
def test_a_path_goes_from_the_prompt_to_the_item(vias: dict[str, str | None], path: tuple[str, ...]) -> None:
    found = {each.uid: each for each in with_paths([noted(uid, via=via) for uid, via in vias.items()])}

    assert found["act_1"].path == path


def test_a_path_goes_over_what_is_no_candidate_if_that_is_known() -> None:
    led = {"ses_1": "ses_2", "ses_3": "ses_2"}

    (found,) = with_paths([noted("mem_1", via="ses_1")], led)

    assert found.path == ("ses_2", "ses_1")
