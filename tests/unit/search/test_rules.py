"""The relevance of what a search found: worked values, bounds, and which way each part turns it."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.config.tables import EncoderTable, QueryVectorTable, RerankerTable, SearchTable
from prefrontal.graph.search import rules
from prefrontal.graph.search.rules import (
    Hit,
    ParsedQuery,
    Part,
    Parts,
    RankedHit,
    blended,
    named_in,
    parse_search_query,
    rank,
    without_names,
)
from prefrontal.graph.text.rarity import rarity
from prefrontal.graph.text.terms import weighted_terms

TABLE = load_catalog(ROOT / "registry").search
NOTES = QueryVectorTable(common=0.0, unrelated=0.75, spread=0.03)
SPEECH = QueryVectorTable(common=0.0, unrelated=0.7, spread=0.04)
E5 = EncoderTable.model_validate(
    {
        "notes": NOTES,
        "speech": SPEECH,
        "relevance": {
            "read": {"middle": 3.0, "slope": 1.0, "floor": 0.1},
            "notes": {"middle": 2.0, "slope": 1.0, "floor": 0.3},
            "speech": {"middle": 1.0, "slope": 2.0, "floor": 0.2},
        },
    }
)
NOW = datetime(2026, 6, 20, 10, 30, tzinfo=UTC)
THEN = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)
STOPS = frozenset({"what", "is", "the", "did", "when", "who", "in", "of", "to", "we", "was"})


def ask(text: str) -> ParsedQuery:
    return parse_search_query(text, STOPS, NOW)


def hit(uid: str, content: str = "", cosine: float | None = 0.75, **given: object) -> Hit:
    return Hit(**{"uid": uid, "content": content or f"Note {uid}", "at": THEN, "cosine": cosine, **given})


def ranked(text: str, *hits: Hit, table: SearchTable = TABLE) -> dict[str, RankedHit]:
    return {each.hit.uid: each for each in rank(ask(text), hits, E5, table)}


def order(text: str, *hits: Hit) -> list[str]:
    return list(ranked(text, *hits))


def test_meaning_is_the_cosine_in_spreads_of_the_encoder() -> None:
    parts = ranked("wine", hit("a", cosine=0.75), hit("b", cosine=0.84), hit("c", cosine=None))

    assert [parts[uid].parts.meaning for uid in "abc"] == [pytest.approx(0), pytest.approx(3), None]


def test_what_was_said_has_constants_of_its_own() -> None:
    parts = ranked("wine", hit("a", cosine=0.78), hit("b", cosine=0.78, spoken=True))

    assert [parts[uid].parts.meaning for uid in "ab"] == [pytest.approx(1), pytest.approx(2)]


def test_what_was_said_has_the_constants_of_notes_where_it_has_none_of_its_own() -> None:
    hits = [hit("a", cosine=0.78), hit("b", cosine=0.78, spoken=True)]
    parts = {each.hit.uid: each.parts for each in rank(ask("wine"), hits, EncoderTable(notes=NOTES), TABLE)}

    assert [parts[uid].meaning for uid in "ab"] == [pytest.approx(1), pytest.approx(1)]


def test_words_weigh_the_share_of_the_questions_rarity() -> None:
    found = ranked("wine wifi", hit("both", "Wifi and wine."), hit("one", "More wine!"), hit("none"))
    counts = 3 + 20
    most = math.log(1 + (counts + 0.5) / 0.5)
    wine = math.sqrt(rarity("wine") * math.log(1 + (counts - 2 + 0.5) / 2.5) / most)
    wifi = math.sqrt(rarity("wifi") * math.log(1 + (counts - 1 + 0.5) / 1.5) / most)

    assert found["both"].parts.words == pytest.approx(TABLE.weights.text)
    assert found["one"].parts.words == pytest.approx(TABLE.weights.text * wine / (wine + wifi))
    assert found["none"].parts.words == 0


def test_a_memory_is_found_by_its_speaker_tags_and_date_too() -> None:
    found = ranked(
        "Anna billing March",
        hit("a", "Yes.", speaker="Anna", tags=["billing"]),
        hit("b", "No.", tags=["Anna"]),
    )

    assert found["a"].parts.words == pytest.approx(TABLE.weights.text)
    assert 0 < found["b"].parts.words < TABLE.weights.text


def test_without_a_vector_the_words_weigh_more() -> None:
    found = ranked("wifi password", hit("a", "The wifi password is herring.", cosine=None))

    assert found["a"].parts.words == pytest.approx(TABLE.weights.text_alone)
    assert found["a"].relevance > TABLE.closeness.floor


def test_a_relevance_follows_from_the_memorys_own_sum_with_the_constants_of_its_sort() -> None:
    found = ranked(
        "wine",
        hit("a", cosine=0.9),
        hit("b", cosine=0.87),
        hit("c", cosine=0.9, spoken=True),
        hit("d", "wine", None),
    )

    assert [found[uid].relevance for uid in "abcd"] == [
        pytest.approx(1 / (1 + math.exp(-slope * (total - middle))))
        for total, middle, slope in (
            (5, 2.0, 1.0),
            (4, 2.0, 1.0),
            (5, 1.0, 2.0),
            (TABLE.weights.text_alone, TABLE.closeness.middle, TABLE.closeness.slope),
        )
    ]


def test_a_memory_is_as_relevant_among_better_goals_as_among_memories_alone() -> None:
    memories = (hit("a", cosine=0.9), hit("b", cosine=0.87))
    goals = (hit("c", cosine=0.99, kind="goal"), hit("d", cosine=0.88, kind="goal"))

    alone, beside = ranked("wine", *memories), ranked("wine", *memories, *goals)

    assert [beside[uid].relevance for uid in "ab"] == [alone[uid].relevance for uid in "ab"]
    assert list(beside) == ["c", "a", "d", "b"]


def shown(*relevances: float, **kinds: str) -> tuple[list[str], int]:
    found = [
        RankedHit(
            hit(uid, kind=kinds.get(uid, "")), Parts(meaning=0.0), alone=6 * relevance, relevance=relevance
        )
        for uid, relevance in zip("abcdef", relevances, strict=False)
    ]
    table = TABLE.model_copy(update={"sure": 0.5, "gap": 1.0, "weaker": 0.1})
    kept, weaker = rules.shown(found, None, E5, table)
    return [each.hit.uid for each in kept], weaker


def test_what_is_sure_is_shown_and_of_the_rest_what_is_little_behind_the_best_of_its_sort() -> None:
    assert shown(0.9, 0.5, 0.4, 0.2, 0.05) == (["a", "b"], 2)
    assert shown(0.45, 0.35, 0.29, 0.2) == (["a", "b"], 2)
    # A goal is behind the best goal, not behind the best memory.
    assert shown(0.9, 0.4, 0.3, b="goal", c="goal") == (["a", "b", "c"], 0)
    assert shown() == ([], 0)


@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.floats(0, 6), st.none() | st.floats(-8, 8), st.booleans()), max_size=8
    )
)
def test_what_is_held_back_is_counted_and_nothing_that_is_shown(
    given_: list[tuple[float, float, float | None, bool]],
) -> None:
    encoder = load_catalog(ROOT / "registry").search.encoder("e5-bge-tuned")
    found = [
        RankedHit(hit(str(place)), Parts(meaning=0.0, answer=answer), alone=alone, relevance=relevance)
        for place, (relevance, alone, answer, _) in enumerate(given_)
    ]
    alike = {str(place) for place, each in enumerate(given_) if each[-1]}

    kept, weaker = rules.shown(found, None, encoder, TABLE, alike)

    there = {each.hit.uid for each in kept}
    assert weaker == sum(each.relevance >= TABLE.weaker and each.hit.uid not in there for each in found)


def test_whoever_names_a_relevance_sees_all_from_it_on() -> None:
    found = [
        RankedHit(hit(uid), Parts(), relevance=each) for uid, each in zip("abc", (0.9, 0.2, 0.1), strict=True)
    ]

    kept, weaker = rules.shown(found, 0.2, E5, TABLE)

    assert ([each.hit.uid for each in kept], weaker) == (["a", "b"], 0)


def test_what_nothing_answers_is_below_the_floor() -> None:
    unrelated = [hit(str(number), f"Note {number}", cosine=0.72 + number / 200) for number in range(10)]

    kept, weaker = rules.shown(list(ranked("wine", *unrelated).values()), None, E5, TABLE)
    assert (kept, weaker > 0) == ([], True)


def test_what_the_reranker_refuses_has_to_be_sure() -> None:
    by = RerankerTable(best=8, weight=0.5, most=8.0, least=-1.5)
    encoder = E5.model_copy(update={"reranker": by})
    found = [
        RankedHit(
            hit(uid), Parts(meaning=0.0, answer=answer), alone=3.0 - (answer or 0.0), relevance=relevance
        )
        for uid, answer, relevance in (
            ("a", -1.6, 0.5),
            ("b", -1.6, 0.49),
            ("c", -1.5, 0.49),
            # What was not read is refused by nobody.
            ("d", None, 0.49),
        )
    ]

    kept, weaker = rules.shown(found, None, encoder, TABLE)
    assert ([each.hit.uid for each in kept], weaker) == (["a", "c", "d"], 1)
    for least, past in ((0.3, False), (None, True)):
        kept, _ = rules.shown(found, least, encoder, TABLE, past=past)
        assert [each.hit.uid for each in kept] == ["a", "b", "c", "d"]


def test_what_answers_one_clause_is_not_behind_what_answers_another() -> None:
    table = TABLE.model_copy(update={"sure": 0.5, "gap": 1.0, "weaker": 0.1})
    found = [
        RankedHit(hit(uid), Parts(meaning=0.0), alone=alone, relevance=relevance, clause=clause)
        for uid, alone, relevance, clause in (
            ("a", 6.0, 0.9, "what did the clocks cost"),
            ("b", 3.0, 0.4, "when is the audit"),
            ("c", 2.5, 0.35, "when is the audit"),
            ("d", 1.5, 0.32, "when is the audit"),
            # What was read with the whole alone is behind the best of all.
            ("e", 4.0, 0.4, ""),
        )
    ]

    kept, weaker = rules.shown(found, None, E5, table)

    assert ([each.hit.uid for each in kept], weaker) == (["a", "b", "c"], 2)


def test_what_is_alike_is_shown_together() -> None:
    found = [
        RankedHit(hit(uid), Parts(), relevance=each) for uid, each in zip("ab", (0.9, 0.01), strict=True)
    ]

    kept, _ = rules.shown(found, None, E5, TABLE, {"a", "b"})

    assert [each.hit.uid for each in kept] == ["a", "b"]


def test_a_memory_is_lifted_half_way_to_the_better_neighbour() -> None:
    found = ranked(
        "wine",
        hit("q", cosine=0.87, beside=["a"]),
        hit("a", cosine=0.78, beside=["q", "z", "gone"]),
        hit("z", cosine=0.75, beside=["a"]),
    )

    assert found["q"].parts.neighbours == 0
    assert found["a"].parts.neighbours == pytest.approx(TABLE.weights.neighbours * 3)
    assert found["z"].parts.neighbours == pytest.approx(TABLE.weights.neighbours * 1)


def test_a_memory_is_drawn_to_the_best_of_its_conversation() -> None:
    found = ranked(
        "wine",
        hit("a", cosine=0.87, conversation="x"),
        hit("b", cosine=0.75, conversation="x"),
        hit("c", cosine=0.75, conversation="y"),
        hit("d", cosine=0.75),
    )

    assert found["b"].parts.conversation == pytest.approx(TABLE.weights.conversation * 4)
    assert [found[uid].parts.conversation for uid in "acd"] == [0, 0, 0]


def test_who_is_named_said_it_or_is_mentioned() -> None:
    weight = TABLE.weights.subject
    found = ranked(
        "what did Anna say",
        hit("said", "Yes.", speaker="Anna Smith"),
        hit("told", "Thanks, Anna!", speaker="Ben"),
        hit("other", "No.", speaker="Ben"),
        hit("linked", "She left.", about=["ent_1"]),
    )

    assert {uid: each.parts.subject for uid, each in found.items()} == {
        "said": weight,
        "told": weight,
        "other": -weight,
        "linked": weight,
    }
    assert ranked("what was said", hit("said", speaker="Anna"))["said"].parts.subject == 0


@pytest.mark.parametrize(
    ("speaker", "text", "named"),
    [
        ("Anna Smith", "what did anna's sister say", {"anna"}),
        ("Anna Smith", "the Smith account", {"smith"}),
        ("user", "what did the user say", set()),
        ("Will", "will it rain in May", set()),
        ("May", "will it rain in May", set()),
    ],
)
def test_a_speaker_is_named_by_a_rare_word_of_the_name(speaker: str, text: str, named: set[str]) -> None:
    assert named_in(speaker, ask(text), TABLE) == named


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("What did Anna's sister buy?", "What did sister buy?"),
        ("what did anna tell Ben", "what did tell"),
        ("Anna Ben", "Anna Ben"),
        ("who likes annatto", "who likes annatto"),
    ],
)
def test_names_are_left_out_of_a_question(text: str, left: str) -> None:
    assert without_names(text, ["Anna", "Ben", "user"], ask(text), TABLE) == left


def test_the_question_without_names_counts_more_in_its_vector() -> None:
    weight = TABLE.nameless

    assert blended([1.0, 0.0], [0.0, 1.0], TABLE) == pytest.approx(
        [1 / math.hypot(1, weight), weight / math.hypot(1, weight)]
    )
    assert blended([0.6, 0.8], [0.6, 0.8], TABLE) == pytest.approx([0.6, 0.8])


def test_a_memory_of_the_named_time() -> None:
    april = datetime(2026, 4, 1, tzinfo=UTC)
    found = ranked("what happened last March", hit("march"), hit("april", at=april))

    assert [found[uid].parts.time for uid in ("march", "april")] == [TABLE.weights.time, 0]
    assert ranked("what happened", hit("march"))["march"].parts.time == 0


def test_doubt_lowers_and_certainty_changes_nothing() -> None:
    found = ranked(
        "wine", hit("sure", confidence=1.0), hit("half", "Other.", confidence=0.5), hit("none", "X.")
    )

    assert [found[uid].parts.doubt for uid in ("sure", "half", "none")] == [0, -TABLE.weights.doubt / 2, 0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anna likes red wine.", "anna likes RED wine"),
        ("Anna likes red wine.", "Anna  liked red wines!"),
        (
            "The meeting with the board about the new office is in the big room on Monday morning",
            "The meeting with the board about the new office is again in the big room on Monday morning",
        ),
        ("\U0001f600", "\U0001f600"),
    ],
)
def test_what_says_the_same_comes_once(one: str, other: str) -> None:
    found = ranked("wine", hit("a", one, cosine=0.85), hit("b", other, cosine=0.84))

    assert {uid: each.same for uid, each in found.items()} == {"a": ("b",)}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Rent is 900 a month", "Rent is 950 a month"),
        ("The office key is under the mat", "The office key is not under the mat"),
        ("Ben can swim", "Ben can't swim"),
        ("Anna beats Ben", "Ben beats Anna"),
        ("Anna likes red wine", "Anna likes white wine"),
        (
            "The car that we rented for the trip to the coast last weekend with all our friends was red",
            "The car that we rented for the trip to the coast last weekend with all our friends was blue",
        ),
        ("\U0001f600", "\U0001f44d"),
    ],
)
def test_what_differs_in_a_number_a_negation_or_a_word_is_not_the_same(one: str, other: str) -> None:
    assert len(ranked("wine", hit("a", one), hit("b", other))) == 2


def test_the_same_words_of_two_speakers_are_two_memories() -> None:
    assert (
        len(ranked("wine", hit("a", "I like wine", speaker="Anna"), hit("b", "I like wine", speaker="Ben")))
        == 2
    )


def test_a_term_is_as_rare_as_the_more_frequent_of_word_and_stem() -> None:
    terms = weighted_terms("What paints the k8s ZQXJ?", {"what", "the"})

    assert terms == {"paint": min(rarity("paint"), rarity("paints")), "k8s": 1.0, "zqxj": 1.0}
    assert weighted_terms("what is the", {"what", "is", "the"}).keys() == {"what", "is", "the"}
    assert 0.05 <= rarity("the") < rarity("house") < rarity("wifi") <= rarity("zqxj") == 1


LONG = "Tea at five. The wifi is slow. Wine at six."
PARTS = (Part("Tea at five.", 0.75), Part("The wifi is slow.", 0.81), Part("Wine at six.", None))


def test_a_long_memory_is_as_relevant_as_the_best_of_its_passages() -> None:
    found = ranked("wifi", hit("long", LONG, passages=PARTS), hit("short", PARTS[1].content, cosine=0.81))

    # The words of the whole text are those of its passage, but its meaning is less near.
    long, short = found["long"], found["short"]
    assert (long.parts, long.relevance, long.best) == (short.parts, short.relevance, 1)
    assert long.parts.meaning == pytest.approx(2)
    assert short.best is None


def test_a_long_memory_is_as_relevant_as_its_whole_text_if_that_is_nearer() -> None:
    near = ranked("tea wine", hit("long", LONG, cosine=0.9, passages=PARTS))["long"]
    alone = ranked("tea wine", hit("long", LONG, cosine=0.9))["long"]

    assert (near.parts, near.relevance) == (alone.parts, alone.relevance)
    # A passage without a vector has the meaning of the whole text, and so far the best sum.
    assert (near.best, alone.best) == (2, None)


def test_of_equal_passages_the_first_is_shown() -> None:
    assert (
        ranked("beer", hit("long", LONG, passages=[Part("Tea.", 0.7), Part("Wine.", 0.7)]))["long"].best == 0
    )


def test_the_passages_of_others_change_no_relevance_of_a_short_memory() -> None:
    short = hit("short", "The wifi is slow", cosine=0.79)
    with_passages = ranked("wifi wine", short, hit("long", LONG, cosine=0.85, passages=PARTS))
    without = ranked("wifi wine", short, hit("long", LONG, cosine=0.85))

    assert with_passages["short"].closeness == without["short"].closeness
    assert with_passages["short"].parts == without["short"].parts


words = st.text("abc 1é犬", max_size=12)
hits_ = st.lists(
    st.builds(
        Hit,
        uid=st.uuids().map(str),
        content=words,
        at=st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
        cosine=st.none() | st.floats(-1, 1),
        speaker=st.none() | words,
        conversation=st.none() | st.sampled_from("xy"),
        about=st.lists(st.just("ent"), max_size=1),
        confidence=st.none() | st.floats(0, 1),
        passages=st.lists(st.builds(Part, words, st.none() | st.floats(-1, 1)), max_size=3),
    ),
    max_size=8,
    unique_by=lambda each: each.uid,
)


@given(text=words, found=hits_, data=st.data())
def test_every_memory_is_ranked_or_named_as_the_same_whatever_the_order(
    text: str, found: list[Hit], data: st.DataObject
) -> None:
    question = ask(text)
    answer = rank(question, found, E5, TABLE)

    assert sorted(uid for each in answer for uid in (each.hit.uid, *each.same)) == sorted(
        h.uid for h in found
    )
    assert all(0 <= each.relevance <= 1 for each in answer)
    assert [each.order for each in answer] == sorted((each.order for each in answer), reverse=True)
    again = rank(question, data.draw(st.permutations(found)), E5, TABLE)
    assert [(each.hit.uid, each.same) for each in again] == [(each.hit.uid, each.same) for each in answer]


@given(
    text=words,
    found=hits_.filter(lambda hits: any(each.cosine is not None for each in hits)),
    more=st.floats(0, 1),
)
def test_a_greater_cosine_never_lowers_a_relevance(text: str, found: list[Hit], more: float) -> None:
    place = next(number for number, each in enumerate(found) if each.cosine is not None)
    nearer = [*found]
    nearer[place] = found[place]._replace(cosine=min(1.0, (found[place].cosine or 0.0) + more))

    def of(hits: list[Hit]) -> float:
        ranked_ = rank(ask(text), hits, E5, TABLE)
        uid = hits[place].uid
        return next((each.relevance for each in ranked_ if each.hit.uid == uid), 0.0)

    assert of(nearer) >= of(found) - 1e-12


@given(text=words, found=hits_, more=hits_)
def test_a_relevance_is_the_same_whatever_else_is_stored(
    text: str, found: list[Hit], more: list[Hit]
) -> None:
    question = ask(text)
    others = [each for each in more if each.uid not in {hit.uid for hit in found}]
    alone = {one.uid: rank(question, [one], E5, TABLE)[0] for one in found}

    for each in rank(question, [*found, *others], E5, TABLE):
        if each.hit.uid in alone:
            assert each.relevance == pytest.approx(alone[each.hit.uid].relevance)
            assert each.best == alone[each.hit.uid].best


def test_what_else_is_stored_does_not_choose_the_passage_whose_constants_count() -> None:
    # Its words are rare in English and frequent among these, its passage is near in meaning.
    long = hit("a", "wine", cosine=None, passages=[Part("", 0.82)])
    others = [hit(uid, "wine", cosine=None) for uid in "bcdefg"]

    few, many = (ranked("wine glasses", long, *beside)["a"] for beside in ([], others))

    assert many.relevance == few.relevance
    assert (many.parts.meaning is None) == (few.parts.meaning is None)


@given(text=st.text("ab c", max_size=9), content=words, cosine=st.none() | st.floats(-1, 1))
def test_a_declared_name_is_never_worse_than_none(text: str, content: str, cosine: float | None) -> None:
    question = parse_search_query(text, STOPS, NOW, names={"ent": text.split()[:1]})
    plain = hit("a", content or "x", cosine=cosine)
    (without,) = rank(question, [plain], E5, TABLE)
    (declared,) = rank(question, [plain._replace(about=["ent"])], E5, TABLE)

    assert declared.relevance >= without.relevance
    assert declared.order >= without.order
    beside = {
        each.hit.uid: each
        for each in rank(
            question, [plain._replace(uid="b"), plain._replace(about=["ent"], content="other")], E5, TABLE
        )
    }
    assert all(each.parts.subject <= TABLE.weights.subject for each in beside.values())


def test_a_name_of_the_question_counts_for_what_declares_it_however_it_is_written_there() -> None:
    question = parse_search_query("what does Bob drink", STOPS, NOW, names={"ent_1": ["bob"]})
    hits = [
        hit("alias", "Robert likes tea", about=["ent_1"]),
        hit("other", "Robert likes tea a lot", about=[]),
    ]

    found = {each.hit.uid: each.parts.words for each in rank(question, hits, E5, TABLE)}

    assert found["alias"] > found["other"] == 0


def test_the_hits_of_an_empty_search() -> None:
    assert rank(ask("wine"), [], E5, TABLE) == []
    assert order("wine", hit("b"), hit("a", "Other.")) == ["a", "b"]


def test_a_word_that_means_the_same_counts_as_the_one_in_the_question() -> None:
    question = parse_search_query("kubernetes upgrade", STOPS, NOW, [{"k8s", "kubernet"}, {"db", "databas"}])

    found = {
        each.hit.uid: each
        for each in rank(question, [hit("a", "The k8s upgrade."), hit("b", "The upgrade.")], E5, TABLE)
    }
    assert question.also == {"k8s": "kubernet"}
    assert found["a"].parts.words == pytest.approx(TABLE.weights.text)
    assert found["b"].parts.words < TABLE.weights.text


def test_what_names_an_identifier_of_the_question_gains_and_what_lacks_it_is_no_answer() -> None:
    found = ranked(
        "What is OPS-1187?",
        hit("has", "ops 1187: the lift", cosine=0.75),
        hit("other", "OPS-1178: the lift is stuck", cosine=0.95),
        hit("none", "The lift is stuck", cosine=0.95),
        hit("tagged", "The crane is slow", cosine=0.75, tags=("OPS-1187",)),
        hit("named", "The door is loud", cosine=0.75, names=("Bob", "OPS-1187")),
    )
    weights = TABLE.weights

    assert {uid: each.parts.identifier for uid, each in found.items()} == {
        "has": weights.identifier,
        "tagged": weights.identifier,
        "named": weights.identifier,
        "other": -weights.other_identifier,
        "none": -weights.other_identifier,
    }
    assert set(list(found)[:3]) == {"has", "tagged", "named"}
    assert max(found["other"].relevance, found["none"].relevance) < 0.01
    # For a context it is as close to the prompt as if there were no identifiers.
    alone = ranked("What is the lift?", hit("none", "The lift is stuck", cosine=0.95))
    assert found["none"].closeness == pytest.approx(alone["none"].closeness, abs=0.1)


@given(cosine=st.floats(-1, 1))
def test_without_an_identifier_in_the_question_there_is_no_such_part(cosine: float) -> None:
    (found,) = ranked("Who took 2 of the chairs?", hit("a", "OPS-1187 on 2 May", cosine=cosine)).values()

    assert found.parts.identifier == 0.0
