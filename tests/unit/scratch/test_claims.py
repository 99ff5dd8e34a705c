"""What texts claim of what, and which of two claims in other words contradict each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.contradictions import COMPATIBLE, read_everyday, score
from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.scratch.claims import Claims
from prefrontal.graph.scratch.contradiction import WordingDetector
from prefrontal.graph.scratch.phrases import Phrases

TABLE = load_catalog(ROOT / "registry").contradiction
CLAIMS = Claims(TABLE)
DETECTOR = WordingDetector(TABLE)
WORDS = st.lists(
    st.sampled_from(
        (
            *(
                "Anna",
                "Noor's",
                "the user",
                "the dog",
                "our",
                "doctor",
                "mother",
                "olives",
                "Oslo",
                "the office",
            ),
            *(
                "is",
                "likes",
                "hates",
                "lives in",
                "works from",
                "is called",
                "prefers",
                "tea",
                "to",
                "coffee",
            ),
            *("not", "no", "never", "stopped", "eating", "unfurnished", "open", "closed", "red", "a", "the"),
            *(
                "at nine",
                "half past ten",
                "on Monday",
                "in May",
                "three",
                "an hour",
                "moved to",
                "every",
                "?",
            ),
        )
    ),
    max_size=8,
).map(" ".join)

CONTRADICT = {
    "opposite": [
        ("Ben likes spicy food", "Ben can't stand spicy food"),
        ("Eva is fond of dogs", "Eva dislikes dogs"),
        ("Lotte is keen on football", "Lotte doesn't care for football"),
        ("The cat is allowed on the sofa", "The cat must not go on the sofa"),
        ("The heating is on", "The heating is switched off"),
        ("The pool is too cold", "The pool is warm"),
        ("Ivy is married", "Ivy is divorced"),
        ("The museum is open on Mondays", "The museum is closed on Mondays"),
        ("Smoking is forbidden on the balcony", "Smoking is allowed on the balcony"),
        ("The user prefers aisle seats over window seats", "The user prefers window seats to aisle seats"),
    ],
    "negation": [
        ("Tom refuses to eat fish", "Tom eats fish"),
        ("Omar has stopped smoking", "Omar is a smoker"),
        ("Paul no longer drinks coffee", "Paul drinks coffee every morning"),
        ("Lena speaks French fluently", "Lena does not speak any French"),
        ("The flat comes furnished", "The flat is unfurnished"),
        ("Amina can't swim", "Amina swims every day"),
        ("Tom does not like olives", "Tom loves olives"),
    ],
    "number": [
        ("The rent is 900 euros a month", "The rent is 950 euros each month"),
        ("Parking costs us 30 a week", "We pay 25 a week for parking"),
        ("The recipe takes half a litre of stock", "The recipe takes a whole litre of stock"),
        ("Bruno's commute is twenty minutes", "It takes Bruno an hour to get to work"),
    ],
    "date": [
        ("The kick-off starts at nine", "We kick off at half past ten"),
        ("The library closes at six", "The library shuts at eight"),
        ("We meet on Thursdays", "Our meeting is on Fridays"),
        ("The party was moved from Friday to Saturday", "The party is on Friday"),
        ("Yusuf's birthday is in May", "Yusuf was born in October"),
    ],
    "place": [
        ("Karim works for Bosch", "Karim works for Siemens"),
        ("Chen works from the office in Leeds", "Chen works from the Manchester office"),
        ("The keys are on the hook", "The keys are in the drawer"),
        ("The server runs in Frankfurt", "The server runs in Dublin"),
    ],
    "name": [
        ("The dog is called Rex", "The dog's name is Max"),
        ("The captain of the team is Ben", "Carla is the captain of the team"),
        ("Rosa's favourite colour is green", "Rosa's favourite colour is purple"),
        ("The wifi password is sunshine", "The wifi password is moonlight"),
    ],
}
COMPATIBLE_PAIRS = [
    # Another subject, another thing of it, or another part of it.
    ("The window is open", "The door is closed"),
    ("Tom likes his sister", "Tom hates his brother"),
    ("The shop in Mill Lane is closed", "The shop in Bridge Street is open"),
    ("Farid lives in Antwerp", "Farid's parents live in Bruges"),
    ("The box on the table is full", "The box under the table is empty"),
    ("She is 12", "He is 14"),
    ("It costs 5 EUR", "That costs 7 EUR"),
    # One of several.
    ("Sara has a blue coat", "Sara has a red coat"),
    ("User likes red wine", "User likes white wine"),
    ("Lea's friend is Anna", "Lea's friend is Berta"),
    ("Marta's son is called Igor", "Marta's son is called Pavel"),
    ("Mia works in Leeds", "Mia works as a nurse"),
    ("Ann is free on Monday", "Ann is also free on Tuesday"),
    # Another time, or only one occasion.
    ("The shop is open on Monday", "The shop is closed on Sunday"),
    ("The winner in 2019 is Anna", "The winner in 2020 is Ben"),
    ("The kick-off starts at nine", "The kick-off ends at half past ten"),
    ("Ann works in Leeds this week", "Ann works in York"),
    ("Nadia enjoys cooking", "Nadia didn't feel like cooking last night"),
    ("The meeting on Tuesday was moved to Thursday", "The meeting is on Thursday"),
    # One place lies in the other, or may be the other.
    ("Anna lives in Oslo", "Anna lives in Norway"),
    ("Anna lives in a flat", "Anna lives in Oslo"),
    ("Anna is at home", "Anna is in the kitchen"),
    ("Paris is in France", "Paris is in Europe"),
    # What is denied is more than what is claimed.
    ("Amina can swim", "Amina does not swim"),
    ("Tom does not love olives", "Tom likes olives"),
    ("Noor wears glasses", "Noor does not have to wear glasses"),
    ("Tom doesn't drink alcohol at work", "Tom drinks alcohol"),
    # Guesses, and what is true at times only.
    ("Tom sometimes eats fish", "Tom does not eat fish"),
    ("Anna might love olives", "Anna hates olives"),
    ("Anna loves olives?", "Anna hates olives"),
    ("Tom isn't in Oslo", "Tom is in Bergen"),
]


def test_no_phrase_of_the_tables_means_two_things() -> None:
    words, stem = TABLE.claims, Phrases(TABLE).stem
    meanings = {
        **{f"{name} {n}": side for name, sides in words.opposites.items() for n, side in enumerate(sides)},
        **{f"same {main}": (main, *phrases) for main, phrases in words.same.items()},
        **{name: getattr(words, name) for name in ("ending", "denying", "changes", "moving")},
    }
    found: dict[tuple[str, ...], str] = {}
    for meaning, phrases in meanings.items():
        for phrase in phrases:
            key = tuple(stem(word) for word in phrase.split())
            assert found.setdefault(key, meaning) == meaning, phrase


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Anna hates olives", "@like anna oliv"),
        ("Anna is fond of olives", "@like anna oliv"),
        ("The kick-off is at nine", "@date0 kick off"),
        ("There is no lift in the hotel", "hotel lift"),
        ("Chen works from the office in Leeds", "@from chen work"),
        ("The spare key is in the letter box", "@at key spare"),
        ("Our family doctor is called Haas", "@who doctor famili"),
        ("User prefers tea to coffee", "@or coffe tea user"),
        ("Room 12 is free", "12 free room"),
        ("Anna met Ben", None),
        ("Anna likes olives. Ben hates them.", None),
        ("Anna has at least 3 cats", None),
        ("", None),
    ],
)
def test_what_a_text_is_about(text: str, key: str | None) -> None:
    claim = CLAIMS.read(text)
    assert (claim and claim.key) == key


@pytest.mark.parametrize(
    ("one", "other", "kind"), [(*pair, kind) for kind, pairs in CONTRADICT.items() for pair in pairs]
)
def test_what_contradicts_in_other_words(one: str, other: str, kind: str) -> None:
    assert DETECTOR.compare(one, other) == DETECTOR.compare(other, one) == kind
    assert DETECTOR.claim(one) == DETECTOR.claim(other) is not None


@pytest.mark.parametrize(("one", "other"), COMPATIBLE_PAIRS)
def test_what_looks_alike_and_can_both_be_true(one: str, other: str) -> None:
    assert DETECTOR.compare(one, other) is None
    assert DETECTOR.compare(other, one) is None


@given(WORDS, WORDS)
def test_a_contradiction_is_mutual_and_both_claim_something_of_the_same(one: str, other: str) -> None:
    kind = DETECTOR.compare(one, other)
    assert kind == DETECTOR.compare(other, one)
    assert DETECTOR.compare(one, one) is None
    if kind is not None and DETECTOR.frame(one) != DETECTOR.frame(other):
        assert DETECTOR.claim(one) == DETECTOR.claim(other) is not None


@given(WORDS)
def test_case_of_other_words_spaces_and_a_full_stop_change_nothing(text: str) -> None:
    assert CLAIMS.read(f" {text.replace(' ', '  ')}.") == CLAIMS.read(text)


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    claim = CLAIMS.read(text)
    assert claim is None or claim.key


def test_what_is_found_on_the_everyday_pairs_of_the_tuned_half() -> None:
    pairs = read_everyday("tune")
    result = score(DETECTOR, pairs)
    assert (sum(pair.kind == COMPATIBLE for pair in pairs), len(pairs)) == (20, 50)
    assert (result.true, result.false, result.precision) == (22, 0, 1.0)
