"""Graph fixtures, a user's own folder of them, and a few tests of each domain on a Neo4j container."""

from __future__ import annotations

import re

import pytest

from prefrontal.graph.config.settings import ROOT
from tests.container.sample import PER_DOMAIN

FIXTURES = sorted((ROOT / "tests" / "fixtures").glob("*.fixture.yaml"))
PLUGIN = ("-p", "prefrontal.api.fixtures.plugin")
DOMAINS = {
    found[1]
    for path in (ROOT / "tests" / "graph").glob("test_*.py")
    if (found := re.match(r"test_([a-z]+)", path.name))
}


@pytest.mark.nightly("all of them run without a container, and one graph fixture on one")
def test_the_graph_fixtures_and_a_few_tests_of_each_domain_hold(run_pytest):
    done = run_pytest("-q", "-p", "tests.container.sample", *map(str, FIXTURES), "tests/graph")

    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr
    told = re.search(r"^domains: (.*)$", done.stdout, re.MULTILINE)[1]
    counts = {domain: (int(kept), int(of)) for domain, kept, of in re.findall(r"(\w+)=(\d+)/(\d+)", told)}
    assert counts.keys() == DOMAINS
    # A domain that has fewer tests runs them all.
    assert {domain: kept for domain, (kept, _) in counts.items()} == {
        domain: min(of, PER_DOMAIN) for domain, (_, of) in counts.items()
    }
    passed = len(FIXTURES) + sum(kept for kept, _ in counts.values())
    assert f"{passed} passed" in done.stdout.splitlines()[-1]


def example() -> str:
    """The first file that the page about fixtures tells a reader to save."""
    page = (ROOT / "docs" / "fixtures.md").read_text()
    return re.search(r"```yaml\n(.*?)```", page, re.DOTALL)[1]


def test_a_users_own_folder_runs_on_a_container(run_pytest, tmp_path):
    folder = tmp_path / "my-fixtures"
    folder.mkdir()
    (folder / "tea.fixture.yaml").write_text(example())
    (folder / "wrong.fixture.yaml").write_text(example().replace("totalCount: 1", "totalCount: 2"))

    done = run_pytest(*PLUGIN, "-v", "--graph-fixtures", "my-fixtures", "--neo4j-container", cwd=tmp_path)

    assert done.returncode == 1, done.stdout + done.stderr
    assert "my-fixtures/tea.fixture.yaml::tea PASSED" in done.stdout
    assert "observations.totalCount: expected 2, got 1" in done.stdout
    assert "1 failed, 1 passed" in done.stdout.splitlines()[-1]


def test_without_an_engine_a_container_is_refused_with_words(run_pytest, tmp_path, monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nobody.sock")
    (tmp_path / "tea.fixture.yaml").write_text(example())

    done = run_pytest(*PLUGIN, "--graph-fixtures", "tea.fixture.yaml", "--neo4j-container", cwd=tmp_path)

    assert done.returncode == 1
    assert "a Neo4j container needs a Docker engine, and none answers: start Docker" in done.stdout
