"""Identifiers and amounts: the same one in any spelling is found, another one is not."""

from __future__ import annotations

import string
from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from prefrontal.graph.text.amounts import numbers_in, term_of
from prefrontal.graph.text.identifiers import Naming, asked, identifier_terms, naming
from prefrontal.graph.text.terms import every_term, terms_of

SAME = [
    ("status of ops 1187?", "OPS-1187: the lift is stuck"),
    ("OPS1187", "OPS-1187: the lift is stuck"),
    ("12C418/26", "The file number is 12 C 418/26."),
    ("CVE 2026 12007", "CVE-2026-12007 in the controllers"),
    ("what's wrong with v0.9.14?", "build 0.9.14 crashes"),
    ("2.10.1", "We run v2.10.1 since May"),
    ("what's version 14?", "show file v14 is the approved one"),
    ("22855050", "Call the plumber at +47 22 85 50 50."),
    ("+49 30 4471 9082", "The nurse has the number 030 4471 9082."),
    ("089600177", "The night line is (089) 60 01 77."),
    ("DE89370400440532013000", "IBAN DE89 3704 0044 0532 0130 00"),
    ("1245.50", "The bill was 1,245.50"),
    ("1245.5 euros", "Die Rechnung: 1.245,50 €"),
    ("what costs $3k?", "Voice actors cost $3,000 each"),
    ("who signed 90FFB17C2D6E?", "image sha256 90ffb17c2d6e88a4035bd1e97c4f2a66b3 signed by Deniz"),
    ("https://visa.example/apply/", "The form is at visa.example/apply and wants a scan"),
    ("visa.example", "The form is at https://www.visa.example/apply"),
    ("BILLING@parcel.example", "phishing came from billing@parcel.example, blocked"),
    ("http://192.168.20.1/", "the router is 192.168.20.1"),
    ("2027-03-14", "The chimney is swept on 14 March 2027."),
    ("What happens on March 14, 2027?", "Chimney: 14.3.2027"),
    ("aisle no. 14", "aisle 14 is closed"),
    ("trouble in hive 5", "Treat hives 1, 2 and 5 in August"),
    ("rm 318", "bed in room 318 squeaks"),
    ("drawer 5 c", "drawer 5C is Yusra's"),
    ("projector in R3.014?", "seminar moved to room 3.014"),
    ("٢٠٤١٨", "Order 20418 was sent"),
]
NUMBERED = {
    "show file v14 is the approved one",
    "aisle 14 is closed",
    "Treat hives 1, 2 and 5 in August",
    "bed in room 318 squeaks",
    "drawer 5C is Yusra's",
}
OTHER = [
    ("status of OPS-9999?", "OPS-1187: the lift is stuck"),
    ("status of dev 1187?", "OPS-1187: the lift is stuck"),
    ("CVE-2020-0001", "CVE-2026-31337 in the mail server"),
    ("What is in room B2.70?", "The printer is in room B2.07."),
    ("What is in aisle 41, bay 3?", "Salt is in aisle 14, bay 3."),
    ("Who sits in 21C?", "Our seats are 12C and 12D."),
    ("version 2.1", "version 2.10 is out"),
    ("version 2.1", "version 2.1.4 is out"),
    ("who paid 12.45 euros?", "Ann paid 1,245 euros"),
    ("who paid 125 euros?", "Ann paid 12.5 euros"),
    ("Who has the number 030 4471 9028?", "The nurse has the number 030 4471 9082."),
    ("What happens on 2 March 2027?", "The gas meter is read on 3 February 2027."),
    ("does flight KV 2039 leave early?", "flight KV 2093 leaves late"),
    ("who wrote to pay.example?", "shop.example renews in May"),
]
NEITHER = [
    ("what do we need for the meeting at 10?", "Bring the plans to the meeting"),
    ("give me 3 reasons against the flat", "The flat is damp"),
    ("who helps within 24 hours?", "Support answers in a day"),
    ("what did we decide in 2026?", "No more paper"),
    ("where is the mp3 of the k8s talk?", "The talk on Kubernetes was recorded"),
    ("chairs for 2-3 people", "The bench is for three"),
    ("will we fit under a 2.70 bridge?", "The van is 2.65 m high"),
    ("aisle 14", "Salt is by the door"),
    ("What happens on 2 March 2027?", "The gas meter is read"),
    ("Who drinks tea?", "Order 77-20418 was sent"),
    ("you may 2 times", "Twice, on 8 May"),
]


@pytest.mark.parametrize(("question", "note"), SAME)
def test_the_same_identifier_is_found_in_any_spelling(question: str, note: str) -> None:
    assert naming(asked(question), note) is (Naming.LIKE if note in NUMBERED else Naming.SAME)


@pytest.mark.parametrize(("question", "note"), SAME)
def test_the_index_finds_it_by_a_term_of_both(question: str, note: str) -> None:
    def terms(text: str) -> set[str]:
        numbers = {term for term in every_term(text) if any(map(str.isdecimal, term))}
        return {*identifier_terms(text), *numbers} or set(every_term(text))

    assert terms(question) & (terms(note) | set(every_term(note)))


@pytest.mark.parametrize(("question", "note"), OTHER)
def test_another_identifier_is_not(question: str, note: str) -> None:
    assert naming(asked(question), note) is Naming.OTHER


@pytest.mark.parametrize(("question", "note"), NEITHER)
def test_a_number_that_identifies_nothing_speaks_neither_for_nor_against(question: str, note: str) -> None:
    assert naming(asked(question), note) is Naming.NEITHER


def test_what_was_said_on_the_day_that_is_asked_for_may_name_another_day() -> None:
    question = asked("What did Ann say on 2 March 2027?")
    note = "Ann goes to Oslo on 5 April"

    assert naming(question, note, datetime(2027, 3, 2, 9, tzinfo=UTC)) is Naming.NEITHER
    assert naming(question, note, datetime(2027, 3, 3, 9, tzinfo=UTC)) is Naming.OTHER
    assert naming(asked("What is in March 2027?"), "Chimney: 14 March") is Naming.LIKE


PREFIX = st.text(string.ascii_uppercase, min_size=2, max_size=4).filter(
    lambda text: text not in {"NO", "NR", "NUM"}
)
NUMBER = st.integers(10_000, 9_999_999).map(str)
JOINT = st.sampled_from(["", "-", " ", "/", "_", "#", " - "])


@given(prefix=PREFIX, number=NUMBER, joints=st.tuples(JOINT, JOINT))
def test_prefix_and_number_may_be_joined_by_anything(
    prefix: str, number: str, joints: tuple[str, str]
) -> None:
    one, other = (f"{prefix}{joint}{number}" for joint in joints)

    assert naming(asked(one), f"We closed {other} today.") is Naming.SAME
    assert set(identifier_terms(one)) & set(identifier_terms(f"We closed {other} today."))


@given(numbers=st.tuples(NUMBER, NUMBER), joint=JOINT)
def test_another_number_is_never_the_same(numbers: tuple[str, str], joint: str) -> None:
    one, other = numbers
    if one != other:
        assert naming(asked(f"XQ{joint}{one}"), f"We closed XQ{joint}{other} today.") is Naming.OTHER


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_asked_and_stored(question: str, text: str) -> None:
    assert isinstance(naming(asked(question), text), Naming)
    assert all(term.isalnum() for term in identifier_terms(text))


@example('<img src=x onerror="document.title=1">{{7*7}}</script><script>document.title=2</script>')
@given(st.text(string.printable + "€–’٣", max_size=80))
def test_what_is_asked_for_is_in_the_question_itself(text: str) -> None:
    assert naming(asked(text), text) is not Naming.OTHER


@pytest.mark.parametrize(
    "part", ["a", "a.", "a-", "a@", "1", "1 ", "f1", "no 1 ", "$1 ", "1/1/2027 ", "ж", "漢"]
)
def test_the_longest_text_is_read_though_it_seems_to_begin_an_identifier_everywhere(part: str) -> None:
    """Where each beginning is followed to the end, these take minutes."""
    text = part * (20_000 // len(part))

    assert naming(asked(text), "OPS-1187") is not Naming.SAME
    assert naming(asked("OPS-1187"), text) is not Naming.SAME
    assert len(terms_of([text], None)) < len(text.encode())


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,245.50", {"1245p5"}),
        ("1.245,50", {"1245p5"}),
        ("1,245", {"1245", "1p245"}),
        ("0,245", {"0p245"}),
        ("3,000,000", {"3000000"}),
        ("2.10.1", set()),
        ("€3k", {"3000"}),
        ("3k", set()),
        ("12'345.5 CHF", {"12345p5"}),
    ],
)
def test_a_number_has_the_values_that_its_spelling_may_mean(text: str, values: set[str]) -> None:
    assert {term_of(value) for number in numbers_in(text) for value in number.values} == values
