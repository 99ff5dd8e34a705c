"""What `bench.sessions_speed` measures with: its texts and its clock."""

from __future__ import annotations

from collections import Counter
from random import Random
from types import SimpleNamespace
from typing import cast

from bench.sessions_operations import ACTIVE, ADD, MANY, OPERATIONS
from bench.sessions_world import FAMILY, HUB, Sessions, TodaysClock, alone, named, text
from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.sessions.themes import themes_of


def world() -> Sessions:
    return cast("Sessions", SimpleNamespace(random=Random(1), number=0))


def test_half_of_the_texts_name_the_same_person_and_a_project_has_as_many_as_it_says() -> None:
    made = world()
    names = Counter(name for _ in range(1000) for name in text(made).entities or ())
    assert names.pop(HUB) == 500
    # The first and the last project have fewer.
    assert set(sorted(names.values())[2:]) == {FAMILY}


def test_a_text_that_is_alone_shares_neither_name_nor_theme_with_any_other() -> None:
    made = world()
    seen: set[str] = set()
    for number in range(1000):
        content = alone(made) if number % 2 else named(made).model_copy(update={"entities": ()})
        own = {*(content.entities or ()), *themes_of(content.content or "", content.entities or (), 8)}
        assert own
        assert not own & seen
        seen |= own


def test_every_past_session_is_within_the_look_back_and_not_longer_than_what_is_looked_at() -> None:
    clock = TodaysClock(Random(1))
    start = clock.now()
    moments = []
    for _ in range(1000):
        clock.move()
        moments.append((clock.now() - start).total_seconds() / 3600)
    table = load_catalog(Settings().registry_dir).correlation
    assert 0 <= min(moments) < max(moments) <= 19
    assert max(moments) + 1 < table.max_lookback_hours


def test_the_aims_are_those_of_an_add_to_a_full_session_and_of_the_active_context() -> None:
    aims = {each.name: each.aim for each in (*OPERATIONS, *MANY) if each.aim is not None}
    assert aims == {"add-full": ADD, "add-old": ADD, "active-context": ACTIVE}
    assert (ADD, ACTIVE) == (15, 5)
