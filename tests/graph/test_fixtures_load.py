"""Fixture files: what is wrong is named by file, line and key, before anything runs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from prefrontal.api.fixtures.load import load_fixture
from prefrontal.api.fixtures.times import parse_length, parse_moment
from prefrontal.api.fixtures.validation import read_fixture
from prefrontal.graph.config.settings import ROOT, Settings
from prefrontal.graph.errors import FixtureError

GOOD = """\
name: good
actors:
  bot: {agent: bot}
nodes:
  tea: {label: Observation, at: 2h ago, content: tea}
  buy: {label: Goal, at: 1h ago, title: Buy tea}
  walk: {label: Goal, title: Walk}
  shop: {label: PendingAction, title: Go}
edges:
  - tea -EVIDENCES-> buy
  - shop -ADVANCES-> buy
steps:
  - graphql: "{ me { orgId } }"
    returns: {me: {orgId: $any}}
  - query: access/find_spaces
    params: {uids: [$bot]}
    exists: [tea -EVIDENCES-> buy]
    counts: {Goal: 0}
"""


def complaints(tmp_path, text):
    path = tmp_path / "x.fixture.yaml"
    path.write_text(text)
    with pytest.raises(FixtureError) as caught:
        read_fixture(path, Settings())
    assert caught.value.code == "fixture"
    head, *lines = caught.value.message.splitlines()
    assert head == "the fixture is wrong:"
    return [line.strip().replace(f"{path}:", "") for line in lines]


def test_a_good_file_is_read(tmp_path):
    (tmp_path / "x.fixture.yaml").write_text(GOOD)
    file = read_fixture(tmp_path / "x.fixture.yaml", Settings())
    assert (len(file.fixture.nodes), len(file.fixture.edges), len(file.fixture.steps)) == (4, 2, 2)
    assert file.location("steps", 1, "params") == f"{tmp_path}/x.fixture.yaml:16"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("content: tea", "contents: tea", "5: nodes.tea.content: is missing"),
        ("title: Walk", "titel: Walk", "7: nodes.walk.titel: there is no such key here"),
        ("label: Goal, title", "label: Gaol, title", "7: nodes.walk: label must be one of: "),
        ("at: 2h ago", "at: 2 moons ago", "5: nodes.tea.at: '2 moons ago' is not a moment such as"),
        ("at: 2h ago", "at: 30m ago", "6: nodes.buy.at: 'buy' needs 'tea', which is made later"),
        ("at: 2h ago", "by: bob", "5: nodes.tea.by: there is no actor 'bob'"),
        ("at: 2h ago", "space: attic", "5: nodes.tea.space: there is no space 'attic'"),
        ("at: 2h ago", "context: {goal: tea}", "5: nodes.tea.context.goal: there is no goal 'tea'"),
        ("at: 2h ago", "source: {tool: a, person: b}", "5: nodes.tea.source: name exactly one of tool,"),
        ("tea -EVIDENCES-> buy\n  -", "te -EVIDENCES-> buy\n  -", "10: edges.0: there is no node 'te'"),
        ("tea -EVIDENCES-> buy\n  -", "tea > buy\n  -", "10: edges.0: 'tea > buy': an edge is written"),
        (
            "tea -EVIDENCES-> buy\n  -",
            "tea -SAW-> buy\n  -",
            "10: edges.0.type: must be one of: EVIDENCES,",
        ),
        (
            "tea -EVIDENCES-> buy\n  -",
            "buy -EVIDENCES-> tea\n  -",
            "10: edges.0: EVIDENCES goes from Observation",
        ),
        ("shop -ADVANCES-> buy", "tea -EVIDENCES-> buy", "11: edges.1: this edge is given twice"),
        ("shop -ADVANCES-> buy", "walk -CHILD_OF-> buy", "8: nodes.shop: an action is created with its goal"),
        (
            "shop -ADVANCES-> buy",
            "{from: shop, type: ADVANCES, to: buy, note: x}",
            "11: edges.1: an ADVANCES edge has neither",
        ),
        ("  walk:", "  bot:", "7: nodes.bot: 'bot' is the name of something in `actors` already"),
        ("{agent: bot}", "{roles: [reader]}", "3: actors.bot: names no agent, person or device"),
        ("orgId }", "orgIx }", "13: steps.0.graphql: Cannot query field 'orgIx' on type 'Me'."),
        ("orgId }", "orgId ", "13: steps.0.graphql: Syntax Error"),
        ("$any", "$nobody", "14: steps.0.returns.me.orgId: nothing is called $nobody yet"),
        ("$any", "$5", "14: steps.0.returns.me.orgId: '$5' is no reference; a text that begins"),
        ("$any", "{$like: x}", "14: steps.0.returns.me.orgId.$like: '$like' is no placeholder here"),
        (
            "access/find_spaces",
            "access/list_space",
            "15: steps.1.query: there is no query file access/list_space",
        ),
        ("params: {uids: [$bot]}", "params: {a: 1}", "16: steps.1.params.a: the query takes no 'a'"),
        ("exists: [tea -EV", "exists: [toe -EV", "17: steps.1.exists.0: nothing is called 'toe' yet"),
        (
            "exists: [tea -EVIDENCES-> buy]",
            "absent: [tea -LIKES-> buy]",
            "17: steps.1.absent.0: there is no edge",
        ),
        (
            "exists: [tea -EVIDENCES-> buy]",
            "exists: [{label: Goal, with: {colour: red}}]",
            "17: steps.1.exists.0.with.colour: a Goal has no property 'colour'",
        ),
        ("counts: {Goal: 0}", "counts: {Gaol: 0}", "18: steps.1.counts.Gaol: there is no label 'Gaol'"),
        (
            "    params:",
            "    job: delete_outdated\n    params:",
            "15: steps.1: a step has at most one of graphql, query and job",
        ),
        ("  - query: ", "  - querry: ", "15: steps.1.querry: there is no such key here"),
        ("name: good", "name: [", "3: not YAML: expected"),
        ("name: good", "name: good\nname: again", "2: not YAML: found duplicate key"),
    ],
)
def test_what_is_wrong_is_named_by_its_line(tmp_path, old, new, said):
    assert GOOD.count(old) >= 1
    found = complaints(tmp_path, GOOD.replace(old, new, 1))
    assert any(line.startswith(said) for line in found), found


SESSION = """\
name: a session
nodes:
  tea: {label: Fact, at: 3h ago, content: tea}
  shop: {label: Goal, at: 3h ago, title: Shop}
  talk:
    label: Session
    at: 2h ago
    items:
      - {at: 1h 50m ago, memory: tea}
      - {content: Low, item_id: low}
      - {at: 1h 40m ago, content: Milk}
    ended_at: 1h ago
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("memory: tea", "memory: tee", "9: nodes.talk.items.0.memory: there is no memory 'tee'"),
        ("memory: tea", "memory: shop", "9: nodes.talk.items.0.memory: there is no memory 'shop'"),
        (
            "memory: tea",
            "memory: tea, content: x",
            "9: nodes.talk.items.0: give either `memory` or `content`",
        ),
        ("memory: tea", "memory: tea, item_id: x", "9: nodes.talk.items.0: a memory keeps its own id"),
        ("content: Low, ", "", "10: nodes.talk.items.1: give either `memory` or `content`"),
        ("Fact, at: 3h ago", "Fact, at: 1h ago", "9: nodes.talk.items.0: 'talk' needs 'tea', which is made"),
        ("at: 1h 40m ago", "at: 1h 55m ago", "11: nodes.talk.items.2: this is before what happens in the"),
        ("ended_at: 1h ago", "ended_at: 101m ago", "12: nodes.talk.ended_at: this is"),
        ("at: 2h ago", "space: house", "7: nodes.talk.space: there is no such key here"),
    ],
)
def test_what_is_wrong_with_a_session_is_named_by_its_line(tmp_path, old, new, said):
    (tmp_path / "x.fixture.yaml").write_text(SESSION)
    assert read_fixture(tmp_path / "x.fixture.yaml", Settings()).fixture.nodes["talk"].label == "Session"
    assert SESSION.count(old) == 1
    found = complaints(tmp_path, SESSION.replace(old, new))
    assert any(line.startswith(said) for line in found), found


def test_all_that_is_wrong_is_said_at_once(tmp_path):
    text = GOOD.replace("te", "to").replace("2h ago", "30m ago").replace("title: Walk", "title: 3")
    assert len(complaints(tmp_path, text)) > 1


def test_a_circle_of_goals_is_seen(tmp_path):
    text = GOOD.replace("  - shop", "  - walk -CHILD_OF-> buy\n  - buy -DERIVED_FROM-> walk\n  - shop")
    assert any("each of these must be there before the next" in line for line in complaints(tmp_path, text))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FixtureError, match=r"nowhere\.fixture\.yaml: the file is missing"):
        load_fixture(tmp_path / "nowhere.fixture.yaml")


def test_the_shipped_fixtures_are_right():
    for path in [
        *(ROOT / "tests" / "fixtures").glob("*.fixture.yaml"),
        ROOT / "api/demo/demo.fixture.yaml",
    ]:
        assert read_fixture(path, Settings()).path == path


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("61 seconds", 61),
        ("1 minute", 60),
        ("3d 4h", 3 * 86_400 + 4 * 3600),
        ("1.5h", 5400),
        ("2 weeks", 1_209_600),
        ("0 seconds", 0),
        ("90 min", 5400),
    ],
)
def test_lengths(text, seconds):
    assert parse_length(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "5", "soon", "3 moons", "3d and a bit", "-3d", 5, None, True])
def test_what_is_no_length(text):
    with pytest.raises(ValueError, match="is not a length of time"):
        parse_length(text)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("now", timedelta(0)),
        ("2h 30m ago", -timedelta(hours=2, minutes=30)),
        ("2025-11-05T10:30:00+02:00", datetime(2025, 11, 5, 8, 30, tzinfo=UTC)),
        ("2025-11-05", datetime(2025, 11, 5, tzinfo=UTC)),
    ],
)
def test_moments(text, moment):
    assert parse_moment(text) == moment


@pytest.mark.parametrize("text", ["", "ago", "yesterday", "in 3d", 3])
def test_what_is_no_moment(text):
    with pytest.raises(ValueError, match="is not a moment such as"):
        parse_moment(text)
