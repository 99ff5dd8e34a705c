"""How the budget is divided: no section crowds the others out, and nothing stays unused for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.context.record import (
    Candidate,
    CandidateKind,
    Constraints,
    ContextFormat,
    Distance,
    Reason,
    Selection,
)
from prefrontal.graph.context.rendering import opening
from prefrontal.graph.context.selection import importance, select
from tests.unit.context.test_selection import CATALOG, COUNT, SECTION, SOURCE, candidates, ends

KIND = CandidateKind
AT_LEAST = CATALOG.context.at_least
SHARES = {"frontal_cortex": 0.35, "semantic_memory": 0.35, "conversation_history": 0.3, "scratch_page": 0.35}
EVERYTHING = Constraints(max_items=1000)
# One for each section, so that all have a share of their own.
DIVIDED = (KIND.CAPABILITY, KIND.GOAL, KIND.EPISODE, KIND.FACT, KIND.MESSAGE, KIND.OBSERVATION)


def some(kind: CandidateKind, number: int, size: int = 100, *, essential: bool = False) -> list[Candidate]:
    """Candidates whose lines have so many characters; a test that counts characters knows what they take."""
    return [
        Candidate(
            uid=f"{kind.value}{place:02}",
            kind=kind,
            section=SECTION[kind],
            line="-" + "x" * (size - 2) + "\n",
            score=1 - place / 100,
            essential=essential,
            reason=Reason.MATCHING,
            **SOURCE,
            distance=Distance.OWN,
        )
        for place in range(number)
    ]


def divided(found: list[Candidate], budget: int, shares: dict[str, float] | None = None) -> Selection:
    return select(
        found,
        budget=budget,
        constraints=EVERYTHING,
        recent_items=10,
        sections=CATALOG.context.sections,
        at_least=AT_LEAST,
        shares=SHARES if shares is None else shares,
        count=len,
    )


def ends_of(kind: CandidateKind) -> int:
    """The characters of a kind's heading."""
    return len(opening(kind, ContextFormat.MARKDOWN))


def numbers(selection: Selection) -> dict[CandidateKind, int]:
    return {kind: number for kind in KIND if (number := sum(item.kind is kind for item in selection.items))}


@pytest.mark.covers("CTX-26")
def test_a_full_section_leaves_the_others_their_share() -> None:
    found = [*some(KIND.GOAL, 10), *some(KIND.SKILL, 1), *some(KIND.OBSERVATION, 6)]

    assert numbers(divided(found, 1000, {})) == {KIND.GOAL: 9}
    # Three goals and their heading are 308 of 350, three observations 315 of 350, the skill 109; of the 268
    # that are left a goal and an observation take 100 each: theirs are the highest scores.
    selection = divided(found, 1000)
    assert numbers(selection) == {KIND.GOAL: 4, KIND.SKILL: 1, KIND.OBSERVATION: 4}
    assert selection.used == 8 + 400 + 9 + 100 + 15 + 400


@pytest.mark.covers("CTX-26")
@pytest.mark.parametrize(
    ("others", "budget", "expected"),
    [
        # What nobody else needs goes to the section that has more.
        ([], 1000, {KIND.GOAL: 9}),
        # One that has less than its share leaves the rest.
        ([(KIND.FACT, 1)], 1000, {KIND.GOAL: 8, KIND.FACT: 1}),
        # Three of each are within their 350, then the highest scores come; of equals the goals first.
        ([(KIND.FACT, 9)], 1000, {KIND.GOAL: 5, KIND.FACT: 4}),
        # The best two of a section come whatever its share is.
        ([(KIND.FACT, 9)], 400, {KIND.GOAL: 1, KIND.FACT: 2}),
        # Everything fits.
        ([(KIND.FACT, 9)], 1916, {KIND.GOAL: 10, KIND.FACT: 9}),
        # One token less, and what was held back and has the lowest score stays out.
        ([(KIND.FACT, 9)], 1915, {KIND.GOAL: 9, KIND.FACT: 9}),
    ],
)
def test_what_a_section_does_not_use_goes_to_the_others(
    others: list[tuple[CandidateKind, int]], budget: int, expected: dict[CandidateKind, int]
) -> None:
    found = [*some(KIND.GOAL, 10), *(each for kind, number in others for each in some(kind, number))]

    assert numbers(divided(found, budget)) == expected


@pytest.mark.covers("CTX-26")
def test_what_is_left_goes_to_the_highest_scores_of_all_sections() -> None:
    goals = [each.model_copy(update={"score": 0.54}) for each in some(KIND.GOAL, 10)]
    facts = [each.model_copy(update={"score": 0.9}) for each in some(KIND.FACT, 9)]

    # Three of each are within the shares of 350; of the 384 that are left the facts take three more.
    assert numbers(divided([*goals, *facts], 1000)) == {KIND.GOAL: 3, KIND.FACT: 6}


@pytest.mark.covers("CTX-26", "CTX-33")
def test_mandates_take_what_they_need_before_all_others() -> None:
    found = [*some(KIND.MANDATE, 5, essential=True), *some(KIND.CAPABILITY, 5), *some(KIND.GOAL, 5)]

    selection = divided(found, 740, {"consciousness": 0.3, "frontal_cortex": 0.5})

    # The section is over its share, so the capabilities wait until the goals have theirs.
    assert numbers(selection) == {KIND.MANDATE: 5, KIND.GOAL: 2}
    assert selection.missing_mandates == ()


@pytest.mark.covers("CTX-26", "CTX-35")
def test_a_long_one_is_not_overtaken_by_a_short_one_for_the_sake_of_its_share() -> None:
    first, long, short = [
        each.model_copy(update={"uid": str(place), "score": 1 - place / 10})
        for place, size in enumerate((100, 300, 50))
        for each in some(KIND.GOAL, 1, size)
    ]
    facts = some(KIND.FACT, 2)

    # 350 tokens are the section's. The long goal waits for the facts, and the short one waits with it.
    selection = divided([first, long, short, *facts], 650)

    assert [item.uid for item in selection.items] == ["0", "1", "fact00", "fact01"]


@pytest.mark.covers("CTX-21", "CTX-26", "CTX-32")
@given(
    found=candidates(),
    copies=st.integers(1, 60),
    words=st.integers(0, 80),
    budget=st.integers(0, 20_000),
    shares=st.dictionaries(st.sampled_from(CATALOG.context.sections), st.floats(0, 1)),
)
def test_any_division_is_exact_and_keeps_the_order_in_each_section(
    found: list[Candidate], copies: int, words: int, budget: int, shares: dict[str, float]
) -> None:
    found = [
        each.model_copy(
            update={"uid": f"{each.uid}_{copy}", "line": f'{each.line[:-1]} "{"wine " * words}"\n'}
        )
        for copy in range(copies)
        for each in found
    ]

    def chosen(shares: dict[str, float]) -> Selection:
        return select(
            found,
            budget=budget,
            constraints=EVERYTHING,
            recent_items=10,
            sections=CATALOG.context.sections,
            at_least=AT_LEAST,
            shares=shares,
            count=COUNT,
        )

    selection, undivided = chosen(shares), chosen({})

    assert selection.used == COUNT(selection.text) <= budget
    assert len(selection.items) + len(selection.excluded) == len(found)
    assert chosen(shares) == selection
    # Mandates are not divided, and if all fits, nothing is.
    assert selection.missing_mandates == undivided.missing_mandates
    if not undivided.truncated:
        assert selection == undivided
    # In a section one that stays out is larger than what comes in after it.
    by_uid = {each.uid: each for each in found}
    order = {each.uid: place for place, each in enumerate(sorted(found, key=importance))}
    for out in selection.excluded:
        around = ends(by_uid[out.uid].kind)
        for item in selection.items:
            if item.section is out.section and item.kind.retrieved == by_uid[out.uid].kind.retrieved:
                assert order[item.uid] < order[out.uid] or item.tokens < out.tokens + around


@pytest.mark.covers("CTX-26")
@given(
    many=st.lists(st.integers(0, 12), min_size=len(DIVIDED), max_size=len(DIVIDED)),
    budget=st.integers(0, 8000),
    shares=st.dictionaries(st.sampled_from(CATALOG.context.sections), st.floats(0, 1)),
)
def test_a_section_is_over_its_share_only_if_all_others_have_theirs_or_all_they_want(
    many: list[int], budget: int, shares: dict[str, float]
) -> None:
    found = [each for kind, number in zip(DIVIDED, many, strict=True) for each in some(kind, number)]
    selection = divided(found, budget, shares)
    taken = numbers(selection)
    waiting = {each.section for each in selection.excluded}

    def takes(kind: CandidateKind, number: int) -> int:
        return ends_of(kind) + 100 * number if number else 0

    for kind in DIVIDED:
        limit = shares.get(SECTION[kind].value, 1.0) * budget
        number = taken.get(kind, 0)
        if number <= AT_LEAST.get(SECTION[kind].value, 1) or takes(kind, number) <= limit:
            continue
        for other in set(DIVIDED) - {kind}:
            if SECTION[other] in waiting:
                more = takes(other, taken.get(other, 0) + 1)
                # It has its share too, or its heading has no room any more.
                left = budget - selection.used + 100
                assert more > shares.get(SECTION[other].value, 1.0) * budget or (
                    other not in taken and left < 100 + ends_of(other)
                )
