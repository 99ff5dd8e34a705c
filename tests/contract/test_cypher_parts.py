"""The texts that several query files contain stand in `cypher/_parts/`, once."""

from __future__ import annotations

import re

import pytest

from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.storage.queries import Scope, load_queries, used_params

CYPHER = ROOT / "cypher"
TEXTS = {path: path.read_text(encoding="utf-8") for path in CYPHER.glob("*/*.cypher")}


def test_every_part_is_used() -> None:
    named = {name for text in TEXTS.values() for name in re.findall(r"// part: (\w+)\(", text)}

    assert named == {path.stem for path in TEXTS if path.parent.name == "_parts"}


def test_the_ways_up_to_a_shared_goal_and_down_from_it_are_written_once() -> None:
    ways = {path.stem for path, text in TEXTS.items() if "may:MAY" in text and "CHILD_OF" in text}

    assert ways == {"shared_goals", "shares"}


@pytest.mark.covers("SEC-14")
def test_without_shares_no_statement_of_a_caller_looks_for_them() -> None:
    queries = [query for query in load_queries(CYPHER).values() if "grantees" in query.params]
    # The permissions that shares give: the store does not ask for them without shares.
    asks = {query.name for query in queries if "grantees" not in query.conditions}
    looks = {
        query.name
        for query in queries
        if query.conditions
        and ("grantees" in used_params(query.text_without_blocks) or "MAY" in query.text_without_blocks)
    }

    assert asks == {"goals/list_permissions"}
    assert looks == set()
    assert {query.scope for query in queries if query.conditions} == {Scope.CALLER}
