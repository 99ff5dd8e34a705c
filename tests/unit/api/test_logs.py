"""What the logs say: every log statement of the code, exceptions, and the lines of libraries."""

from __future__ import annotations

import ast
import asyncio
import io
import json
import logging
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
import structlog
from neo4j.exceptions import ConstraintError
from pydantic import BaseModel, SecretStr, ValidationError

from prefrontal.api import logs
from prefrontal.api.logs import HIDDEN, configure_logs, hide
from prefrontal.graph.config.settings import ROOT, Settings
from prefrontal.graph.errors import InvalidInput

LEVELS = ("debug", "info", "warning", "error", "exception", "critical", "log")

# What a log line may be given, and why it holds no content of a memory and no text of a client.
KNOWN = {
    # Names of the code: of an operation, a job, a statement, a command, a setting, an encoder or a route.
    *("operation", "job", "query", "command", "encoder", "route", "method", "notes", "what", "outcome"),
    # A stable code of an error; the class or the database's code of what caused it.
    *("code", "cause"),
    # Ids, which are opaque, and the keys of organisations.
    *("org", "actor", "turn", "action", "session", "observations", "one", "other"),
    # A store of a commit; an event and its place; what the broker's stream is called.
    *("store", "uid", "seq", "stream", "subjects"),
    # Numbers and yes or no.
    "attempts",
    *("ms", "status", "done", "deleted", "number", "items", "capacity", "texts", "again_in_s", "dimensions"),
    *("tried_again", "action_types", "starts", "start", "of", "bytes", "pid", "worker", "port"),
    # Times and places of this machine.
    *("last", "folder", "log", "host", "path"),
    # An exception, of which the log tells no values.
    "exc_info",
    # Ids that a client gave; `one_line` keeps it from forging lines.
    "working_memory_queries",
}
# What is a sentence, event by event.
SENTENCES = {
    # Names file, line and key of a registry file, which is the operator's own.
    ("registry_refused", "reason"),
    # Of the command line: settings and prerequisites.
    ("stopped", "reason"),
    # Of a download, and of a folder of a model.
    ("encoder_missing", "reason"),
    ("encoder_wrong", "reason"),
    # Of the address of the issuer, in which the settings allow no password.
    ("issuer_away", "error"),
    # The class of it.
    ("embedding_failed", "error"),
    ("nats_error", "error"),
    # Of the broker: why it cannot be reached, or takes an event for too large.
    ("broker_away", "reason"),
    ("dead_letter", "reason"),
    # Of starting a process, with the end of Neo4j's log, which holds no contents: test_contents_stay.
    ("neo4j_not_started", "error"),
    # The first line of what git said about the operator's own repository.
    ("git_failed", "said"),
}


@dataclass(frozen=True)
class Statement:
    place: str
    event: str
    level: str
    keys: tuple[str, ...]


def statements() -> list[Statement]:
    found = []
    for path in sorted([*(ROOT / "graph").rglob("*.py"), *(ROOT / "api").rglob("*.py")]):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and is_log(node.func):
                event = node.args[0]
                literal = event.value if isinstance(event, ast.Constant) else ast.unparse(event)
                level = node.func.attr if isinstance(node.func, ast.Attribute) else "warning"
                keys = tuple(keyword.arg or "**" for keyword in node.keywords)
                found.append(Statement(f"{path.relative_to(ROOT)}:{node.lineno}", str(literal), level, keys))
    return found


def is_log(called: ast.expr) -> bool:
    if isinstance(called, ast.Name):
        return called.id == "level"  # one statement chooses its level
    return (
        isinstance(called, ast.Attribute)
        and called.attr in LEVELS
        and ast.unparse(called.value) in ("log", "structlog.get_logger()")
    )


STATEMENTS = statements()


def test_every_log_statement_is_found() -> None:
    assert len(STATEMENTS) > 50
    assert {statement.level for statement in STATEMENTS} <= {*LEVELS}


def test_no_log_statement_is_given_a_text() -> None:
    unknown = [
        (statement.place, statement.event, key)
        for statement in STATEMENTS
        for key in statement.keys
        # The middleware adds the queries of working memory, if there are any.
        if key not in KNOWN | {"**"} and (statement.event, key) not in SENTENCES
    ]
    assert unknown == []
    spread = [statement.place.partition(":")[0] for statement in STATEMENTS if "**" in statement.keys]
    assert spread == ["api/middleware.py"]


def test_the_name_of_an_event_is_a_word_of_the_code() -> None:
    named = {statement.event for statement in STATEMENTS}
    # The code of an error, and its class's.
    assert {name for name in named if not name.isidentifier()} == {"error.code", "TimedOut.code"}


Lines = Callable[[], list[dict[str, object]]]


@pytest.fixture
def stderr(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """What is written to standard error; the logging of the run is as before afterwards."""
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(logs, "_SECRETS", set())
    before, root = structlog.get_config(), logging.getLogger()
    handlers, level, driver = list(root.handlers), root.level, logging.getLogger("neo4j").level
    yield stream
    structlog.configure(**before)
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.getLogger("neo4j").setLevel(driver)


@pytest.fixture
def logged(stderr: io.StringIO) -> Lines:
    """JSON logs at level debug, as `serve` sets them up; returns the lines since the last call."""
    configure_logs(
        Settings(
            log_format="json",
            log_level="debug",
            neo4j_password=SecretStr("the password of Neo4j"),
            jwt_secret=SecretStr("a secret of a test, of at least 32 bytes"),
            jwt_secret_before=SecretStr("the secret that was used before it, also long"),
        )
    )

    def lines() -> list[dict[str, object]]:
        found = [json.loads(line) for line in stderr.getvalue().splitlines()]
        stderr.truncate(0)
        stderr.seek(0)
        return found

    return lines


JWT = "eyJhbGciOiJIUzI1NiJ9.eyJvcmciOiJtZSJ9.c2lnbmF0dXJl"
PLANTED = {
    "the password of Neo4j": "the password of Neo4j",
    "a secret of a test, of at least 32 bytes": "a secret of a test, of at least 32 bytes",
    "the secret that was used before it, also long": "the secret that was used before it, also long",
    "password of the embedded one": "password of the embedded one",
    JWT: JWT,
    "Bearer abc.def": "abc.def",
    "bolt://neo4j:hunter2@127.0.0.1:7687": "hunter2",
}


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda each: f"{each.place}-{each.event}")
def test_a_secret_in_whatever_a_statement_is_given_is_hidden(statement: Statement, logged: Lines) -> None:
    hide("password of the embedded one", SecretStr("short"))
    said = " and ".join(PLANTED)
    level = statement.level if statement.level not in ("exception", "log") else "error"
    given = {key.strip("*") or "more": said for key in statement.keys if key != "exc_info"}
    nested = {"list": [said, {said: (said, ValueError(said))}], "word": "short"}

    getattr(structlog.get_logger(), level)(statement.event, **given, nested=nested)

    (line,) = logged()
    text = json.dumps(line)
    assert [secret for secret in PLANTED.values() if secret in text] == []
    assert HIDDEN in text
    assert line["nested"]["word"] == "short"  # type: ignore[index]
    assert (line["event"], line["level"]) == (statement.event, level)
    assert given.keys() <= line.keys()


QUOTED = "Ann's secret " + "blend"


class Tea(BaseModel):
    leaves: int


def raised() -> Exception:
    try:
        Tea.model_validate({"leaves": QUOTED})
    except ValidationError as error:
        try:
            raise ValueError(QUOTED) from error  # noqa: TRY301
        except ValueError as second:
            return second
    raise AssertionError


@pytest.mark.parametrize("how", ["defect", "library"])
def test_an_exception_is_logged_with_its_traceback_and_without_what_it_quotes(
    how: str, logged: Lines
) -> None:
    error = ExceptionGroup(QUOTED, [raised(), KeyError(QUOTED)])
    if how == "defect":
        structlog.get_logger().error("defect", exc_info=error)
    else:
        logging.getLogger("uvicorn.error").error("Exception in ASGI application\n", exc_info=error)

    (line,) = logged()

    assert QUOTED not in json.dumps(line)
    told = str(line["exception"])
    assert "in raised" in told
    for name in ("ValidationError", "ValueError", "ExceptionGroup", "KeyError"):
        assert name in told
    assert line["level"] == "error"


def test_what_names_code_is_told_and_so_are_codes(logged: Lines) -> None:
    log = structlog.get_logger()
    constraint = ConstraintError._hydrate_neo4j(
        code="Neo.ClientError.Schema.ConstraintValidationFailed", message="Node(1) has `key` = 'Ann'"
    )
    for error in (AttributeError("no attribute x"), OSError(28, "/tmp/Ann"), InvalidInput("Ann"), constraint):
        try:
            raise error  # noqa: TRY301
        except Exception:
            log.exception("defect")

    told = [str(line["exception"]).splitlines()[-1] for line in logged()]

    assert told == [
        "builtins.AttributeError: no attribute x",
        "builtins.OSError: errno 28",
        "prefrontal.graph.errors.InvalidInput: invalid",
        "neo4j.exceptions.ConstraintError: Neo.ClientError.Schema.ConstraintValidationFailed",
    ]


async def test_what_asyncio_says_of_a_lost_task_quotes_no_exception(logged: Lines) -> None:
    asyncio.get_running_loop().call_exception_handler(
        {"message": "Task exception was never retrieved", "exception": ValueError(QUOTED)}
    )

    (line,) = logged()

    assert line["event"] == "Task exception was never retrieved"
    assert QUOTED not in json.dumps(line)


def test_lines_for_people_hide_the_same(stderr: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", stderr)
    configure_logs(Settings(log_format="console", neo4j_password=SecretStr("the password of Neo4j")))
    quoted = "secret blend"
    try:
        raise ValueError(quoted)  # noqa: TRY301
    except ValueError:
        structlog.get_logger().exception("defect", said=f"Bearer {JWT}", of="the password of Neo4j")

    shown = stderr.getvalue()

    assert "builtins.ValueError" in shown
    assert "test_logs.py" in shown
    assert [secret for secret in (JWT, "the password of Neo4j", quoted) if secret in shown] == []
