"""The commands that show the statements of the service."""

from __future__ import annotations

import json

import pytest
from click.testing import Result
from typer.testing import CliRunner

from prefrontal.api.cli.main import app
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.storage.queries import load_queries

QUERIES = load_queries(ROOT / "cypher")


def run(*words: str, status: int = 0, **env: str) -> Result:
    done = CliRunner().invoke(app, ["query", *words], env=env, prog_name="prefrontal")
    assert done.exit_code == status, done.output
    return done


def test_all_statements_are_listed_by_domain() -> None:
    *lines, _, last = run("list").stdout.splitlines()

    assert [line.split()[0] for line in lines if line] == sorted(QUERIES)
    assert lines.count("") == len({name.partition("/")[0] for name in QUERIES}) - 1
    assert last.startswith(f"{len(QUERIES)} statements.")
    (line,) = (line for line in lines if line.startswith("goals/list_goals "))
    query = QUERIES["goals/list_goals"]
    assert line.split(maxsplit=4) == ["goals/list_goals", "read", "one", "caller", query.purpose]


def test_a_text_finds_statements_by_name_and_by_purpose() -> None:
    listed = json.loads(run("list", "CHECKPOINT", "--json").stdout)["queries"]

    names = [each["name"] for each in listed]
    assert "sessions/write_checkpoint" in names
    assert "sessions/share_kept_texts" in names
    assert names == [
        name for name, query in QUERIES.items() if "checkpoint" in (name + query.purpose).casefold()
    ]
    assert listed[0].keys() == {"name", "purpose", "mode", "returns", "scope", "params"}
    assert run("list", "no such words").stdout.startswith("0 statements.")


@pytest.mark.parametrize("name", ["goals/find_goals", "find_goals"])
def test_a_statement_is_printed_whole_with_its_parameters(name: str) -> None:
    query = QUERIES["goals/find_goals"]

    printed = run("show", name).stdout

    # A bracket is no markup, and no line is broken.
    assert "[up:CHILD_OF WHERE up.until IS NULL]" in printed
    assert printed == (
        ":param grantees => null;\n:param readable => null;\n:param uids => null;\n\n"
        f"// goals/find_goals: {query.purpose}\n// mode: read, returns: one, scope: caller\n{query.text}\n"
    )


def test_a_statement_is_printed_as_it_is_sent_for_empty_lists() -> None:
    query = QUERIES["goals/find_goals"]

    printed = run("show", "find_goals", "--reduced").stdout
    shown = json.loads(run("show", "find_goals", "--reduced", "--json").stdout)

    assert printed.startswith(":param readable => null;\n:param uids => null;\n\n// goals/find_goals: ")
    assert printed.endswith(f"\n{query.text_without_blocks}\n")
    assert (shown["text"], shown["params"]) == (query.text_without_blocks, ["readable", "uids"])


def test_a_statement_without_parameters_is_printed_alone() -> None:
    (name, *_) = (name for name, query in QUERIES.items() if not query.params)

    assert run("show", name).stdout.startswith(f"// {name}: {QUERIES[name].purpose}\n")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("find_organisation", "give one of demo/find_organisation, summaries/find_organisation, transfer/"),
        ("goals/list_gaols", "there is no statement goals/list_gaols; is it goals/list_goals or "),
        ("list_gaols", "there is no statement list_gaols; is it goals/list_goals or "),
        ("actions/list_goals", "; is it goals/list_goals or "),
        ("zzz", "there is no statement zzz. See all: prefrontal query list"),
        ("_parts/shares", "there is no statement _parts/shares"),
    ],
)
def test_a_name_that_is_not_one_statement_says_which_there_are(name: str, said: str) -> None:
    assert said in run("show", name, status=1).stderr
    error = json.loads(run("show", name, "--json", status=1).stdout)["error"]
    assert error["code"] == "invalid"
    assert said in error["message"]


def test_a_folder_without_statements_is_named(tmp_path) -> None:
    assert "no query files" in run("list", status=1, PREFRONTAL_CYPHER_DIR=str(tmp_path)).stderr
