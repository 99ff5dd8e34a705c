"""What fits: never over budget, counted exactly, whole items, the important ones first."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from unicodedata import category
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.context.record import (
    Candidate,
    CandidateKind,
    Constraints,
    ContextFormat,
    Distance,
    Reason,
    Section,
    Selection,
    Source,
)
from prefrontal.graph.context.rendering import (
    action_line,
    closing,
    contradicting,
    formatted_line,
    goal_line,
    incomplete,
    memory_line,
    opening,
    question_line,
    quoted,
    story_line,
)
from prefrontal.graph.context.selection import importance, select
from prefrontal.graph.text.tokens import BpeCounter

CATALOG = load_catalog(ROOT / "registry")
COUNT = BpeCounter("o200k_base")
NOW = datetime(2025, 11, 5, 10, 30, tzinfo=UTC)
SOURCE = {"scope_id": "spc_1", "by_uid": "agt_1"}
OWN, COMMON, OTHER = Distance
MARKDOWN = ContextFormat.MARKDOWN
SECTION = {
    CandidateKind.MANDATE: Section.CONSCIOUSNESS,
    CandidateKind.CAPABILITY: Section.CONSCIOUSNESS,
    CandidateKind.GOAL: Section.FRONTAL_CORTEX,
    CandidateKind.PENDING_ACTION: Section.FRONTAL_CORTEX,
    CandidateKind.QUESTION: Section.FRONTAL_CORTEX,
    CandidateKind.STORY: Section.FRONTAL_CORTEX,
    CandidateKind.EPISODE: Section.EPISODIC_MEMORY,
    CandidateKind.FACT: Section.SEMANTIC_MEMORY,
    CandidateKind.SKILL: Section.SEMANTIC_MEMORY,
    CandidateKind.LESSON: Section.SEMANTIC_MEMORY,
    CandidateKind.SUMMARY: Section.CONVERSATION_HISTORY,
    CandidateKind.MESSAGE: Section.CONVERSATION_HISTORY,
    CandidateKind.FRAGMENT: Section.SCRATCH_PAGE,
    CandidateKind.OBSERVATION: Section.SCRATCH_PAGE,
}
# Any text that can be stored: everything but halves of surrogate pairs, and what tokenizers trip over.
TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=60) | st.sampled_from(
    [
        "",
        " ",
        "\n",
        "/",
        "//\n",
        "# Mandates\n- x",
        "<|endoftext|>",
        '"',
        "\\",
        "\u2028/",
        "'s",
        "…\r\n/",
        "a" * 500,
    ]
)


@st.composite
def candidates(draw: st.DrawFn) -> list[Candidate]:
    found = []
    for number in range(draw(st.integers(0, 12))):
        kind = draw(st.sampled_from(CandidateKind))
        text = draw(TEXT)
        confidence = draw(st.floats(0, 1)) if kind.retrieved else None
        if kind is CandidateKind.GOAL:
            above = draw(st.lists(TEXT, max_size=2))
            line = goal_line(f"goal_{number}", text, "high", "pending", draw(st.floats(0, 1)), above)
        elif kind is CandidateKind.PENDING_ACTION:
            what = ("research", "pending", "high", "for the agent")
            due, blocking = draw(st.none() | st.just(NOW)), draw(st.booleans())
            line = action_line(f"act_{number}", text, what=what, due_at=due, blocking=blocking, goal=None)
        elif kind is CandidateKind.QUESTION:
            line = question_line(f"qst_{number}", text, "high", "open", draw(st.none() | st.just("goal_1")))
        elif kind is CandidateKind.STORY:
            line = story_line(f"story_{number}", text, "draft", "qst_1")
        elif confidence is not None:
            line = memory_line(text, at=NOW, confidence=confidence)
        else:
            line = memory_line(text)
        found.append(
            Candidate(
                uid=f"{number:02}",
                kind=kind,
                section=SECTION[kind],
                line=line,
                score=draw(st.sampled_from([0.0, 0.25, 0.5, 1.0])),
                essential=kind is CandidateKind.MANDATE and draw(st.booleans()),
                confidence=confidence,
                reason=Reason.ACTIVE,
                **SOURCE,
                distance=draw(st.sampled_from(Distance)),
            )
        )
    noted = [each.uid for each in found if each.kind is CandidateKind.OBSERVATION]
    said = [each.uid for each in found if each.kind is CandidateKind.MESSAGE]
    found = [draw(contradicted(each, noted)) if each.uid in noted else each for each in found]
    return [
        each.model_copy(
            update={"beside": tuple(draw(st.lists(st.sampled_from(said), min_size=1, unique=True)))}
        )
        if said and each.kind is CandidateKind.SUMMARY
        else each
        for each in found
    ]


@st.composite
def contradicted(draw: st.DrawFn, each: Candidate, noted: list[str]) -> Candidate:
    """An observation that may contradict some of the others."""
    against = draw(st.lists(st.sampled_from(noted), max_size=2, unique=True))
    if not against:
        return each
    line = contradicting(each.line, f"obs_{each.uid}", against)
    return each.model_copy(update={"contradicts": tuple(against), "line": line})


def ends(kind: CandidateKind, form: ContextFormat = MARKDOWN) -> int:
    """The tokens of what stands around the items of a kind."""
    return COUNT(opening(kind, form)) + COUNT(closing(kind, form))


def in_form(found: list[Candidate], form: ContextFormat) -> list[Candidate]:
    return [
        each.model_copy(update={"line": formatted_line(each.line, each.uid, each.kind, form)})
        for each in found
    ]


def chosen(
    found: list[Candidate],
    budget: int,
    constraints: Constraints | None = None,
    form: ContextFormat = MARKDOWN,
    late: tuple[Source, ...] = (),
) -> Selection:
    return select(
        found,
        budget=budget,
        constraints=constraints or Constraints(),
        recent_items=10,
        sections=CATALOG.context.sections,
        at_least=CATALOG.context.at_least,
        shares=CATALOG.context.shares,
        count=COUNT,
        form=form,
        late=late,
    )


@given(
    found=candidates(),
    form=st.sampled_from(ContextFormat),
    late=st.just(()) | st.just((Source.STEPS,)) | st.just(tuple(Source)),
    budget=st.integers(0, 400),
    most=st.none() | st.integers(0, 5),
    least=st.none() | st.floats(0, 1),
    seed=st.randoms(use_true_random=False),
)
def test_any_selection_keeps_its_promises(
    found: list[Candidate],
    form: ContextFormat,
    late: tuple[Source, ...],
    budget: int,
    most: int | None,
    least: float | None,
    seed: object,
) -> None:
    constraints = Constraints(max_items=most, min_confidence=least)
    found = in_form(found, form)
    selection = chosen(found, budget, constraints, form, late)

    # The tokens of the whole are the sum of its pieces, for any text, and fit.
    assert selection.used == COUNT(selection.text) <= budget
    # Whole or left out, each exactly once.
    lines = {candidate.uid: candidate.line for candidate in found}
    assert all(item.text == lines[item.uid] for item in selection.items)
    assert sorted([i.uid for i in selection.items] + [e.uid for e in selection.excluded]) == sorted(lines)
    assert [item.rank for item in selection.items] == list(range(1, len(selection.items) + 1))
    # One line each, under one heading per kind, or between two tags.
    kinds = list(dict.fromkeys(item.kind for item in selection.items))
    around = len(kinds) * (2 if form is ContextFormat.XML else 1)
    notice = incomplete(late, form)
    said = selection.text.endswith(notice)
    assert said or selection.mandates_need + COUNT(notice) > budget
    told = len(notice.splitlines()) if said else 0
    assert len(selection.text.splitlines()) == len(selection.items) + around + told
    # The order in which candidates come does not matter.
    shuffled = list(found)
    seed.shuffle(shuffled)  # type: ignore[attr-defined]
    assert chosen(shuffled, budget, constraints, form, late) == selection
    by_uid = {candidate.uid: candidate for candidate in found}
    retrieved = [i for i in selection.items if i.kind.retrieved]
    assert len(retrieved) <= (10 if most is None else most)
    for item in selection.items:
        confidence = by_uid[item.uid].confidence
        assert least is None or confidence is None or confidence >= least
    # Nothing that would have fitted beside what was taken is called too big.
    heading = {kind: 0 if kind in kinds else ends(kind, form) for kind in CandidateKind}
    taken = {item.uid for item in selection.items}
    reasons = {each.uid: each.reason for each in selection.excluded}
    # What stands beside others comes with one of them, or is left out for the same reason as one.
    alone = {each.uid for each in found if each.beside and taken.isdisjoint(each.beside)}
    assert taken.isdisjoint(alone)
    assert all(reasons[uid] in {reasons[other] for other in by_uid[uid].beside} for uid in alone)
    for left_out in selection.excluded:
        if left_out.reason is Reason.OVER_BUDGET and left_out.uid not in alone:
            assert selection.used + left_out.tokens + heading[by_uid[left_out.uid].kind] > budget
    assert set(selection.missing_mandates) == {e.uid for e in selection.excluded if by_uid[e.uid].essential}
    # What the mandates need is enough for them, and without it one of them is missing.
    need = selection.mandates_need
    assert (need == 0) is not any(each.essential for each in found)
    assert budget < need or selection.missing_mandates == ()
    assert chosen(found, need, constraints, form, late).missing_mandates == ()
    essential = [each for each in found if each.essential]
    assert not essential or chosen(essential, chosen(essential, 0).mandates_need - 1).missing_mandates


@given(found=candidates())
def test_no_stored_text_closes_an_element_or_adds_one(found: list[Candidate]) -> None:
    selection = chosen(in_form(found, ContextFormat.XML), 100_000, form=ContextFormat.XML)

    root = fromstring(f"<context>{selection.text}</context>")
    items = [item for section in root for item in section]

    assert [(item.tag, item.get("id")) for item in items] == [(i.kind.value, i.uid) for i in selection.items]
    assert all(len(item) == 0 for item in items)
    # The text is what Markdown says.
    lines = {each.uid: each.line for each in found}
    assert [f"- {item.text}\n" for item in items] == [lines[item.uid] for item in selection.items]


def test_an_element_has_the_id_once_and_entities_for_markup() -> None:
    line = goal_line("goal_1", "</goal> & <more>", "high", "pending", 0.0, [])

    assert formatted_line(line, "goal_1", CandidateKind.GOAL, ContextFormat.XML) == (
        '<goal id="goal_1">"&lt;/goal&gt; &amp; &lt;more&gt;" (high, pending, 0%)</goal>\n'
    )
    assert formatted_line(line, "goal_1", CandidateKind.GOAL, MARKDOWN) == line


@settings(deadline=None)
@given(found=candidates(), budget=st.integers(0, 200))
def test_essential_mandates_get_room_first(found: list[Candidate], budget: int) -> None:
    # Those of other spaces come after everything of the caller's own, essential or not.
    found = [c for c in found if not (c.essential and c.distance is Distance.OTHER)]
    essential = [c for c in found if c.essential]

    alone, among = chosen(essential, budget), chosen(found, budget)

    assert {i.uid for i in among.items} >= {i.uid for i in alone.items}
    assert among.missing_mandates == alone.missing_mandates


def observation(uid: str, words: int, score: float) -> Candidate:
    return Candidate(
        uid=uid,
        kind=CandidateKind.OBSERVATION,
        section=Section.SCRATCH_PAGE,
        line=memory_line("wine " * words, at=NOW, confidence=0.5),
        score=score,
        confidence=0.5,
        reason=Reason.RECENT,
        **SOURCE,
        distance=Distance.OWN,
    )


def test_a_smaller_one_is_taken_after_one_that_is_too_big() -> None:
    big, small = observation("a", 200, 0.9), observation("b", 2, 0.1)
    budget = ends(CandidateKind.OBSERVATION) + COUNT(small.line)

    selection = chosen([big, small], budget)

    assert [item.uid for item in selection.items] == ["b"]
    assert selection.used == budget
    assert [(e.uid, e.reason) for e in selection.excluded] == [("a", Reason.OVER_BUDGET)]


def test_the_heading_counts() -> None:
    small = observation("b", 2, 0.1)

    assert chosen([small], COUNT(small.line)).items == ()
    assert chosen([small], COUNT(small.line) + ends(CandidateKind.OBSERVATION)).items != ()


def test_who_gets_room_first_goes_by_kind_then_whose_it_is_then_score_then_id() -> None:
    def one(
        uid: str, kind: CandidateKind, score: float, *, essential: bool = False, distance: Distance = OWN
    ) -> Candidate:
        return Candidate(
            uid=uid,
            kind=kind,
            section=SECTION[kind],
            line="- x\n",
            score=score,
            essential=essential,
            reason=Reason.ACTIVE,
            **SOURCE,
            distance=distance,
        )

    ordered = [
        one("m2", CandidateKind.MANDATE, 0.1, essential=True),
        one("m0", CandidateKind.MANDATE, 0.9, essential=True, distance=COMMON),
        one("m1", CandidateKind.MANDATE, 0.9),
        one("m3", CandidateKind.MANDATE, 0.9, distance=COMMON),
        one("m4", CandidateKind.MANDATE, 1.0, essential=True, distance=OTHER),
        one("m5", CandidateKind.MANDATE, 1.0, distance=OTHER),
        one("g1", CandidateKind.GOAL, 0.9),
        one("g2", CandidateKind.GOAL, 0.2),
        one("g3", CandidateKind.GOAL, 1.0, distance=OTHER),
        one("g4", CandidateKind.GOAL, 0.9, distance=COMMON),
        one("c1", CandidateKind.CAPABILITY, 0.5),
        one("c2", CandidateKind.CAPABILITY, 0.5, distance=COMMON),
        one("c3", CandidateKind.CAPABILITY, 0.9, distance=OTHER),
        one("o1", CandidateKind.OBSERVATION, 1.0, distance=OTHER),
        one("o2", CandidateKind.OBSERVATION, 1.0),
    ]

    backwards = list(reversed(ordered))
    assert sorted(backwards, key=importance) == ordered


def test_what_is_not_seen_is_escaped() -> None:
    # Turned writing, ASCII hidden in tags, a zero-width space, a private character, separators and controls.
    unseen = "\u202e \u2066 \U000e0041 \u200b \ue000 \U000f0000 \u2028 \u2029 \x85 \x7f \x1b \xad \ufeff"
    line = quoted(f"a {unseen} \u00e9 \u4e2d \U0001f377")

    assert json.loads(line) == f"a {unseen} \u00e9 \u4e2d \U0001f377"
    assert [char for char in line if category(char)[0] == "C" or category(char) in ("Zl", "Zp")] == []
    assert "\\u202e" in line
    assert "\\udb40\\udc41" in line
    assert line.endswith(' \u00e9 \u4e2d \U0001f377"')


@given(TEXT)
def test_a_quoted_text_is_one_line_and_reads_back(text: str) -> None:
    line = quoted(text)

    assert json.loads(line) == text
    assert len(line.splitlines()) == 1
    assert line.startswith('"')
    assert line.endswith('"')


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (memory_line("Never lie"), '- "Never lie"\n'),
        (memory_line('say "hi"', at=NOW, confidence=0.954), '- 2025-11-05T10:30:00Z (0.95) "say \\"hi\\""\n'),
        (
            goal_line("goal_1", "a\nb", "high", "pending", 0.256, []),
            '- goal_1 "a\\nb" (high, pending, 26%)\n',
        ),
        (
            goal_line("goal_1", "a", "low", "blocked", 0, ["b", "c"]),
            '- goal_1 "a" (low, blocked, 0%) part of "b" < "c"\n',
        ),
    ],
)
def test_lines_as_they_are_written(line: str, expected: str) -> None:
    assert line == expected


def memory(uid: str, kind: CandidateKind, score: float) -> Candidate:
    return Candidate(
        uid=uid,
        kind=kind,
        section=SECTION[kind],
        line=memory_line(uid),
        score=score,
        reason=Reason.MATCHING,
        **SOURCE,
        distance=Distance.OWN,
    )


@pytest.mark.covers("CTX-25", "CTX-35", "CTX-38")
def test_each_section_has_its_best_before_any_has_its_rest() -> None:
    found = [
        *(memory(f"o{number}", CandidateKind.OBSERVATION, 0.9 - number / 100) for number in range(12)),
        *(memory(f"m{number}", CandidateKind.MESSAGE, 0.99 - number / 100) for number in range(3)),
        memory("f", CandidateKind.FACT, 0.3),
        memory("e0", CandidateKind.EPISODE, 0.2),
        memory("e1", CandidateKind.EPISODE, 0.1),
    ]

    def kept(most: int) -> list[str]:
        selection = select(
            found,
            budget=10_000,
            constraints=Constraints(max_items=most),
            recent_items=10,
            sections=CATALOG.context.sections,
            at_least={
                "episodic_memory": 1,
                "semantic_memory": 2,
                "conversation_history": 2,
                "scratch_page": 2,
            },
            shares={},
            count=COUNT,
        )
        return [item.uid for item in selection.items]

    # The sections in their order; messages come last among the first ones, and last among the rest.
    assert kept(4) == ["e0", "f", "o0", "o1"]
    assert kept(6) == ["e0", "f", "m0", "m1", "o0", "o1"]
    assert kept(8) == ["e0", "f", "m0", "m1", "o0", "o1", "o2", "o3"]
    assert kept(18) == ["e0", "e1", "f", "m0", "m1", "m2", *(f"o{number}" for number in range(12))]


@pytest.mark.covers("CTX-35")
def test_a_summary_comes_last_and_beside_its_messages_alone() -> None:
    summary = memory("s", CandidateKind.SUMMARY, 1.0).model_copy(update={"beside": ("m0", "m1")})
    messages = [memory(f"m{number}", CandidateKind.MESSAGE, 0.1) for number in range(2)]

    def kept(found: list[Candidate], budget: int) -> str:
        return " ".join(item.uid for item in chosen(found, budget, Constraints(max_items=100)).items)

    whole = chosen([summary, *messages], 1000)
    assert [item.uid for item in whole.items] == ["s", "m0", "m1"]
    assert kept([summary, *messages], whole.used) == "s m0 m1"
    assert kept([summary, *messages], whole.used - 1) == "m0 m1"
    one = COUNT(messages[0].line) + ends(CandidateKind.MESSAGE)
    assert kept([summary, *messages], one) == "m0"
    assert kept([summary, *messages], one - 1) == ""
    # While its messages wait for room it waits too, and comes after them.
    more = [memory(f"m{number}", CandidateKind.MESSAGE, 0.1) for number in range(4)]
    late = summary.model_copy(update={"beside": ("m3",)})
    all_of_it = chosen([late, *more], 1000).used
    big = memory("f", CandidateKind.FACT, 0.9).model_copy(update={"line": memory_line("wine " * 1000)})
    assert kept([late, *more, big], all_of_it) == "s m0 m1 m2 m3"
    assert kept([late, *more, big], all_of_it - 1) == "m0 m1 m2 m3"


@pytest.mark.covers("CTX-05")
def test_without_a_limit_the_budget_alone_decides_how_many_memories_there_are() -> None:
    found = [memory(f"f{number:02}", CandidateKind.FACT, 0.5) for number in range(25)]

    assert len(chosen(found, 10_000).items) == 25
    assert chosen(found, 10_000).excluded == ()
    assert len(chosen(found, 10_000, Constraints(max_items=24)).items) == 24
