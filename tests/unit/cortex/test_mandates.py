"""What mandates declare, and which steps of plans violate them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.cortex.mandates.declarations import rules_of
from prefrontal.graph.cortex.mandates.record import Plan, Step, Violation, ViolationKind
from prefrontal.graph.cortex.mandates.violations import DeclaredRules
from prefrontal.graph.memory.record import Mandate, StepCondition
from prefrontal.graph.text.words import stem, words_of

TABLE = load_catalog(Path(__file__).parents[3] / "registry").mandates
PROHIBITED, CONFIRM = ViolationKind.PROHIBITED, ViolationKind.CONFIRMATION_REQUIRED


def declared(text: str) -> list[tuple[ViolationKind, list[str]]]:
    rules = rules_of(Mandate(uid="man_1", content=text), TABLE)
    return [(rule.kind, [" ".join(phrase.words) for phrase in rule.phrases]) for rule in rules]


def check(mandates: list[str | Mandate], *steps: str | Step, goal: str = "") -> tuple[Violation, ...]:
    made = [
        Mandate(uid=f"man_{number}", content=each) if isinstance(each, str) else each
        for number, each in enumerate(mandates)
    ]
    plan = Plan(
        texts=(goal,) if goal else (),
        steps=tuple(Step(texts=(step,)) if isinstance(step, str) else step for step in steps),
    )
    return DeclaredRules(TABLE).check(made, plan)


def places(mandates: list[str | Mandate], *steps: str | Step, goal: str = "") -> list[int | None]:
    return [violation.step for violation in check(mandates, *steps, goal=goal)]


@pytest.mark.covers("GOAL-48", "GOAL-49")
@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("Never send mail to customers.", ["send mail customers"]),
        ("Do not call Ann", ["call ann"]),
        ("Don’t call Ann", ["call ann"]),
        ("You must not delete files.", ["delete files"]),
        ("Customer data must not be shared", ["customer data shared"]),
        ("Customers must never be called", ["customers called"]),
        ("Smoking is not allowed.", ["smoking"]),
        ("The agent is not allowed to buy wine", ["buy wine"]),
        ("No emails", ["emails"]),
        ("No emails are allowed on Sundays", ["emails sundays"]),
        ("Do not delete or overwrite files", ["delete files", "overwrite files"]),
        ("Never delete, move or rename files", ["delete files", "move files", "rename files"]),
        ("Never share passwords or keys", ["share passwords", "share keys"]),
        ("Never delete files because Ann needs them", ["delete files"]),
        ("Be kind; please never shout", ["shout"]),
    ],
)
def test_texts_that_forbid(text, phrases):
    assert declared(text) == [(PROHIBITED, phrases)]


@pytest.mark.covers("GOAL-49")
@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("Always ask before sending mail", ["sending mail"]),
        ("Ask the user before sending mail.", ["sending mail"]),
        ("Always confirm with Ann before buying wine", ["buying wine"]),
        ("Before deleting files, ask the user", ["deleting files"]),
        ("Get approval from Ann before deploying", ["deploying"]),
        ("Only buy wine after confirmation by Ann", ["buy wine"]),
        ("Buy wine only after confirmation", ["buy wine"]),
        ("Deploying to production requires approval", ["deploying production"]),
        ("Never deploy without permission", ["deploy"]),
    ],
)
def test_texts_that_want_a_confirmation(text, phrases):
    assert declared(text) == [(CONFIRM, phrases)]


@pytest.mark.covers("GOAL-49")
@pytest.mark.parametrize(
    "text",
    [
        "Help users make informed decisions",
        "Never spend more than 100 euro",
        "Never drive unless sober",
        "Do not answer if you are not sure",
        "Never do this",
        "Ask Ann for the invoice before paying",
        "Confirm the address before sending",
        "Answer in English",
        "Mail is not allowed on Sundays",
        "Sende nie Briefe",
        "",
        "?!",
    ],
)
def test_what_the_words_do_not_say_declares_nothing(text):
    assert declared(text) == []


@pytest.mark.parametrize(
    "step",
    [
        "Send a mail to Bob",
        "Sending mails",
        "We have mails to send",
        "Send a mail, do not call Bob",
        "Do not call Bob but send a mail",
        "Ask Ann, then send a mail",
        "Send a mail without asking Ann",
    ],
)
def test_a_step_that_has_the_stems_of_all_words_violates(step):
    assert places(["Never send mail"], "Look around", step) == [1]


@pytest.mark.parametrize(
    "step",
    [
        "Send a letter",
        "Read the mail",
        "Do not send mail",
        "Make sure that no mail is sent or to send",
        "Write to Bob without sending mail",
        "Ask Ann whether to send mail",
        "They don't send mail",
        "Send the invoice. Read the mail",
        "Avoid sending mail",
        "Never read, write or send mail",
        "Do not read and send mail",
        "Ask Ann and send mail",
    ],
)
def test_a_step_without_them_or_that_does_not_do_it_violates_nothing(step):
    assert places(["Never send mail"], step) == []


def test_the_goal_is_read_too_and_its_place_is_none():
    (violation,) = check(["Never buy wine"], "Look", goal="buy_wine")

    assert violation == Violation(
        mandate_id="man_0",
        kind=PROHIBITED,
        step=None,
        reason="it says 'buy wine', which the mandate forbids",
    )


def test_the_name_of_the_type_and_short_parameters_are_words_of_the_step():
    mandates: list[str | Mandate] = ["Never send mail to customers"]
    typed = Step(texts=("Tell the customers",), action_type="send_mail")
    given_to = Step(texts=("Send it",), parameters={"to": ["Customers"], "tool": {"name": "mail"}})
    long = Step(texts=("Send it",), parameters={"text": "customers like mail, " * 9})

    assert places(mandates, typed, given_to, long) == [0, 1]


def test_several_mandates_and_steps_are_all_named():
    found = check(["Never send mail", "Smile", "No calls"], "Call Ann", "Send mail", "Call Bob by mail")

    assert [(each.mandate_id, each.step) for each in found] == [("man_0", 1), ("man_2", 0), ("man_2", 2)]


def test_a_declared_condition_counts_instead_of_the_text():
    forbids = StepCondition(action_types=("user_task",), phrases=("send mail", "write letters"))
    mandate = Mandate(uid="man_9", content="Never call", forbids=forbids)
    steps: list[Any] = [
        Step(texts=("Send mail",), action_type="user_task"),
        Step(texts=("Writing a letter",), action_type="user_task"),
        Step(texts=("Send mail",), action_type="agent_task"),
        Step(texts=("Call Ann",), action_type="user_task"),
    ]

    assert places([mandate], *steps) == [0, 1]


def test_a_condition_on_types_alone_needs_no_words():
    mandate = Mandate(uid="man_9", content="No jobs", forbids=StepCondition(action_types=("background_job",)))
    (violation,) = check([mandate], "Jobs", Step(texts=("x",), action_type="background_job"), goal="Jobs")

    assert (violation.step, violation.reason) == (
        1,
        "its type is background_job, which the mandate forbids",
    )


@pytest.mark.covers("GOAL-49")
def test_a_confirmed_step_satisfies_and_so_does_what_comes_after_it():
    mandates: list[str | Mandate] = ["Always ask before sending mail"]
    asking = Step(texts=("Approve that we send mail to Ann",), action_type="approval_request", confirmed=True)
    other = Step(texts=("Approve the wine",), confirmed=True)

    assert [(each.step, each.kind) for each in check(mandates, "Send mail")] == [(0, CONFIRM)]
    assert places(mandates, asking, "Send mail") == []
    assert places(mandates, "Send mail", asking) == [0]
    assert places(mandates, other, "Send mail") == [1]


WORDS = ["send", "mail", "delete", "files", "customer", "not", "without", "read", "wine", "ask", "don't"]
SENTENCES = st.lists(st.sampled_from([*WORDS, "tables", "walks", ",", "and"]), max_size=8).map(" ".join)
FORMS = ["Never {}", "Do not {}", "{} is not allowed", "Always ask before {}", "No {}", "{}"]


@given(st.sampled_from(FORMS), st.lists(st.sampled_from(WORDS), max_size=4), SENTENCES, st.lists(SENTENCES))
def test_a_plan_without_a_word_of_a_mandate_never_violates_it(form, words, goal, steps):
    mandate = form.format(" ".join(words))
    used = {stem(word) for word in words_of(mandate)}
    free = [
        " ".join(word for word in text.split() if not used & {stem(each) for each in words_of(word)})
        for text in (goal, *steps)
    ]

    assert check([mandate], *free[1:], goal=free[0]) == ()


@given(st.lists(SENTENCES, max_size=4), st.lists(SENTENCES, max_size=3), SENTENCES)
def test_each_prohibited_step_is_found_whatever_else_the_plan_has(mandates, steps, more):
    forbidding: list[str | Mandate] = [f"Never {text}" for text in mandates]

    found = check(forbidding, *steps)

    assert set(found) <= set(check(forbidding, *steps, more))
    assert {each.kind for each in found} <= {PROHIBITED}
    assert all(each.step is not None for each in found)


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_texts_can_be_read(mandate, step):
    check([mandate], step, goal=step)
