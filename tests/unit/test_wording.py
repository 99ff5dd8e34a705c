"""Plain grammar in messages, and a search for messages that do without it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from prefrontal.graph.wording import counted, with_article

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((1, "open action"), "1 open action"),
        ((0, "open action"), "0 open actions"),
        ((2, "open action"), "2 open actions"),
        ((1.0, "hour"), "1 hour"),
        ((0.5, "hour"), "0.5 hours"),
        ((720.0, "hour"), "720 hours"),
        ((10_000_000, "byte"), "10000000 bytes"),
        ((1, "entry"), "1 entry"),
        ((3, "entry"), "3 entries"),
        ((3, "day"), "3 days"),
        ((2, "status"), "2 statuses"),
        ((2, "branch"), "2 branches"),
        ((1, "action has", "actions have"), "1 action has"),
        ((2, "action has", "actions have"), "2 actions have"),
    ],
)
def test_one_is_one_and_all_others_are_many(given: tuple, said: str) -> None:
    assert counted(*given) == said


WITH_ARTICLES = """
    an approval_request, an agent_task, a user_task, a decision, an open question, an
    information_gap, an update, an Observation, an ActionType, an Actor, a Goal, an EVIDENCES, a
    MAY, an ON, an urgent_call, an unusual_case, an uninvited_guest, a unit_test, a unique_key, a
    utility, a usage_report, a one_off, a one-off, an onerous_task, an hour_log, a house_visit, a
    european_tender, an 8ball, an 11th_hour, an 18_hole, a 110_page, a 1to1, a u-turn, a story, a
    question, a mandate
"""


@pytest.mark.parametrize("said", " ".join(WITH_ARTICLES.split()).split(", "))
def test_the_article_is_that_of_the_first_sound(said: str) -> None:
    assert with_article(said.split(" ", 1)[1]) == said


def careless(source: str) -> Iterator[int]:
    """The lines of messages with `a` before a value, or with a plural after a number of things."""
    for text in ast.walk(ast.parse(source)):
        parts: list[ast.expr | None] = [None, *text.values, None] if isinstance(text, ast.JoinedStr) else []
        for before, value, after in zip(parts, parts[1:], parts[2:], strict=False):
            if not isinstance(value, ast.FormattedValue):
                continue
            article = re.search(r"\b[Aa]n? ['\"`]?$", constant_text(before))
            plural = re.match(r" (?:[a-z]+ )?[a-z]+s\b", constant_text(after))
            if article or (plural and ast.unparse(value.value).startswith("len(")):
                yield value.lineno


def constant_text(part: ast.expr | None) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else ""


def test_a_careless_message_is_found() -> None:
    lines = [
        'f"a {kind} is late"',
        'f"it is late; an {it}"',
        'f"{len(actions)} open actions"',
        'f"found {len(entries)} entries"',
        'f"{counted(1, one)} has {name} as {kind}, and {len(x)} of {most}"',
    ]
    assert [*careless("\n".join(lines))] == [1, 2, 3, 4]


def test_no_message_of_the_service_is_careless() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for folder in ("graph", "api")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line in careless(path.read_text("utf-8"))
    ]
    assert found == []
