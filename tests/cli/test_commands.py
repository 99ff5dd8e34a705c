"""Commands that use the database or none: results, exit codes, JSON, and what they say when it goes wrong."""

from __future__ import annotations

import asyncio
import io
import json
import re
import secrets
import stat
from functools import partial

import jwt
import pytest
from rich.console import Console
from structlog.testing import capture_logs

from prefrontal.api.auth import Tokens
from prefrontal.api.cli import serve
from prefrontal.api.cli.console import shown_secret
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.errors import Unavailable
from tests.cli.conftest import Cli
from tests.support.world import World


def key() -> str:
    return f"org-{secrets.token_hex(6)}"


def test_a_token_stands_alone_on_standard_output(cli: Cli, tmp_path):
    done = cli("token", "--org", "acme", "--agent", "bot", "--role", "reader", "--hours", "1")

    assert done.returncode == 0
    secret = (tmp_path / "data" / "secret").read_text()
    claims = jwt.decode(
        done.stdout.strip(), secret, algorithms=["HS256"], audience="prefrontal", issuer="prefrontal"
    )
    assert (claims["org"], claims["agent"], claims["roles"]) == ("acme", "bot", ["reader"])
    assert claims["exp"] - claims["iat"] == 3600
    assert stat.S_IMODE((tmp_path / "data" / "secret").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--org", "acme"], "at least one of --agent, --person and --device"),
        (["--org", "acme", "--agent", "bot", "--role", "king"], "known roles: reader, writer"),
        (["--org", "a b", "--agent", "bot"], "letters, digits"),
    ],
)
def test_a_token_that_cannot_be_says_why(cli: Cli, arguments, said):
    done = cli("token", *arguments)
    assert done.returncode == 1
    assert said in done.stderr
    assert done.stdout == ""


def test_organisations_and_agents_are_made_once(cli: Cli):
    org = key()
    first = json.loads(cli("org", "create", org, "--json").stdout)
    assert (first["key"], first["created"]) == (org, True)
    second = cli("org", "create", org, "--json")
    assert second.returncode == 0
    assert json.loads(second.stdout) == first | {"created": False}
    third = cli("org", "create", org, "--name", "Another name")
    assert third.returncode == 0
    assert f"Organisation {org} is known ({first['id']}); its name stays" in third.stdout
    assert f"prefrontal token --org {org} --agent NAME" in third.stdout

    made = json.loads(cli("agent", "create", "planner", "--org", org, "--json").stdout)
    again = json.loads(cli("agent", "create", "planner", "--org", org, "--json").stdout)
    assert made == again
    assert made["id"].startswith("agt_")


def test_an_agent_of_an_unknown_organisation_is_told_what_to_do(cli: Cli):
    done = cli("agent", "create", "planner", "--org", "nobody-here")
    assert done.returncode == 1
    assert "prefrontal org create nobody-here" in done.stderr


GOOD = [
    '{"content": "I take oolong tea in the morning", "confidence": 0.9, "tags": ["tea"], "ttl_minutes": 60}',
    """{"content": "Lisbon", "ttlMinutes": 60, "clientKey": "k1", "source": {"tool": "notes"},
    "context": {"goal_id": "trip", "userId": "ann"}}""".replace("\n", ""),
    '"Just a sentence."',
]
BROKEN = '{"content": "too sure", "confidence": 3}'


async def test_a_file_of_notes_goes_in_and_once(cli: Cli, world: World, tmp_path):
    file = tmp_path / "notes.jsonl"
    file.write_text("\n".join(GOOD) + "\n\n")

    done = cli("import", "observations", str(file), "--org", world.org, "--agent", "me", "--json")
    assert done.returncode == 0, done.stderr
    value = json.loads(done.stdout)
    assert (value["imported"], value["broken"]) == (3, [])
    again = cli("import", "observations", str(file), "--org", world.org, "--agent", "me", "--json")
    assert again.returncode == 0, again.stderr

    rows = await world.rows(
        "MATCH (o:Observation {org_id: $org}) RETURN o.content AS content, o.goal_key AS goal, "
        "o.user_id AS user, o.source_kind AS kind, o.ttl_minutes AS ttl ORDER BY o.uid"
    )
    assert rows == [
        {
            "content": "I take oolong tea in the morning",
            "goal": None,
            "user": None,
            "kind": None,
            "ttl": 60.0,
        },
        {"content": "Lisbon", "goal": "trip", "user": "ann", "kind": "tool", "ttl": 60.0},
        {"content": "Just a sentence.", "goal": None, "user": None, "kind": None, "ttl": 1440.0},
    ]


async def test_a_broken_line_in_the_middle_stops_all_and_is_named(cli: Cli, world: World, tmp_path):
    file = tmp_path / "notes.jsonl"
    file.write_text("\n".join([GOOD[0], BROKEN, "{not json", GOOD[2]]))
    before = await world.counts()

    done = cli("import", "observations", str(file), "--org", world.org, "--agent", "me")

    assert done.returncode == 1
    assert "notes.jsonl:2" in done.stderr
    assert "confidence" in done.stderr
    assert "notes.jsonl:3: not JSON" in done.stderr
    assert "--on-error skip" in done.stdout
    assert await world.counts() == before


async def test_the_good_lines_of_a_broken_file_go_in_when_asked(cli: Cli, world: World, tmp_path):
    file = tmp_path / "notes.jsonl"
    file.write_text("\n".join([GOOD[0], BROKEN, "[1]", GOOD[2]]))

    done = cli(
        "import",
        "observations",
        str(file),
        "--org",
        world.org,
        "--agent",
        "me",
        "--on-error",
        "skip",
        "--json",
    )

    assert done.returncode == 0
    value = json.loads(done.stdout)
    assert value["imported"] == 2
    assert [line["line"] for line in value["broken"]] == [2, 3]
    assert (await world.counts())["Observation"] == 2


async def test_the_demo_is_told_and_cleared(cli: Cli, world: World):
    cleared = cli("demo", "clear", "--json")
    assert cleared.returncode == 0, cleared.stderr
    told = cli("demo", "load", "--json")
    assert json.loads(told.stdout) == {"nodes": 62, "loaded": True}
    twice = cli("demo", "load", "--json")
    assert twice.returncode == 0
    assert json.loads(twice.stdout) == {"nodes": 0, "loaded": False}
    assert "prefrontal demo clear" in cli("demo", "load").stdout
    demo = await world.rows(
        "MATCH (o:Organisation {key: 'demo'}) MATCH (g:Goal {org_id: o.uid}) "
        "RETURN count(g) AS goals, "
        "duration.inSeconds(min(g.created_at), max(g.created_at)).minutes AS minutes"
    )
    assert demo[0]["goals"] == 7
    # The first one is from four days and half an hour ago, the last one from 35 minutes ago.
    assert demo[0]["minutes"] == 4 * 24 * 60 + 30 - 35

    gone = json.loads(cli("demo", "clear", "--json").stdout)["deleted"]
    assert gone > 200
    assert await world.rows("MATCH (o:Organisation {key: 'demo'}) RETURN o") == []


def test_doctor_says_what_is_there(cli: Cli):
    done = cli("doctor", "--json")
    value = json.loads(done.stdout)
    assert done.returncode == 0, done.stdout
    assert value["healthy"] is True
    assert [check["check"] for check in value["checks"]] == [
        "Python",
        "settings",
        "registry",
        "query files",
        "Java",
        "encoder",
        "database",
        "vectors",
        "spaces",
    ]
    assert value["checks"][-1]["detail"].endswith("in spaces of their own organisations")


async def test_doctor_finds_what_is_in_the_space_of_another_organisation(cli: Cli, world: World):
    caller = await world.caller()
    await world.services.goals.service.create(caller, CreateGoal(title="tea"))
    other = await world.services.access.create_organisation(f"{world.org}-other")
    await world.rows(
        "MATCH (s:Space {org_id: $other}) MATCH (g:Goal {org_id: $org}) SET g.scope_id = s.uid", other=other
    )
    (goal,) = await world.rows("MATCH (g:Goal {org_id: $org}) RETURN g.uid AS uid, g.scope_id AS space")

    done = cli("doctor", "--json")

    check = json.loads(done.stdout)["checks"][-1]
    assert (done.returncode, check["check"], check["ok"]) == (1, "spaces", False)
    assert check["detail"].startswith(
        "1 record of one organisation in a space of another, or linked with it: "
        f"{goal['uid']} of {world.org_id}: scope_id '{goal['space']}'. "
    )
    assert "import their organisation again" in check["detail"]
    assert "Checking the spaces of all records" in done.stderr


def test_doctor_says_what_is_missing(cli: Cli):
    done = cli("doctor", NEO4J_URI="bolt://127.0.0.1:9", PREFRONTAL_RETRY_TIME_S="0")
    assert done.returncode == 1
    assert "failed" in done.stdout
    assert "does not answer" in done.stdout


def test_a_wrong_setting_is_named(cli: Cli):
    done = cli("migrate", NEO4J_URI="http://localhost")
    assert done.returncode == 1
    assert "NEO4J_URI" in done.stderr
    assert "Traceback" not in done.stderr


def test_secrets_are_shown_on_a_terminal_only():
    assert shown_secret("s3cret", Console(force_terminal=True, file=io.StringIO())) == "s3cret"
    assert "s3cret" not in shown_secret("s3cret", Console(file=io.StringIO()))


@pytest.mark.parametrize("terminal", [True, False])
def test_what_serve_prints_has_the_demos_token_and_the_password_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, world: World, terminal: bool
):
    printed = Console(force_terminal=terminal, file=io.StringIO(), width=1000, color_system=None)
    monkeypatch.setattr(serve, "err", printed)
    monkeypatch.setattr(serve, "shown_secret", partial(shown_secret, console=printed))
    tokens = Tokens("s" * 32, world.services.settings, world.clock)
    endpoint = Endpoint("bolt://127.0.0.1:1", "neo4j", "s3cret", "http://127.0.0.1:2", "embedded")

    serve._welcome(world.services, endpoint, tokens, with_demo=True)

    said = printed.file.getvalue()
    assert "/graphiql" in said
    assert [secret in said for secret in ("#token=", "s3cret")] == [terminal] * 2
    # Whoever opens the link another day is still signed in, and the demo still looks as it did.
    lifetimes = [
        claims["exp"] - claims["iat"]
        for token in re.findall(r"#token=(\S+)", said)
        for claims in [jwt.decode(token, options={"verify_signature": False})]
    ]
    assert lifetimes == [7 * 24 * 3600] * terminal
    assert ("signed in to the demo for a week" in said) is terminal


async def test_a_database_that_was_started_again_is_warmed_up_by_the_loop_that_serves(world: World):
    again = serve.warms_up_again(world.services)
    world.statements.clear()
    before = asyncio.all_tasks()

    with capture_logs() as logs:
        # The keeper calls it in a thread of its own.
        await asyncio.to_thread(again)
        await asyncio.gather(*(asyncio.all_tasks() - before))

    assert [entry["event"] for entry in logs] == ["warmed_up"]
    assert {"scratch/list_observations_by_time", "goals/list_goals", "context/read_candidates"} <= set(
        world.statements.names
    )


@pytest.mark.parametrize(("failing", "event"), [(2, "warmed_up"), (3, "not_warmed_up")])
async def test_a_warm_up_that_fails_is_tried_again(
    world: World, monkeypatch: pytest.MonkeyPatch, failing: int, event: str
) -> None:
    tried: list[int] = []

    async def warm_up(_: object) -> None:
        tried.append(1)
        if len(tried) <= failing:
            raise Unavailable("away")

    monkeypatch.setattr(serve, "warm_up", warm_up)
    monkeypatch.setattr(serve, "_WARM_AGAIN_S", (0.0, 0.0))
    before = asyncio.all_tasks()

    with capture_logs() as logs:
        # The keeper calls it in a thread of its own.
        await asyncio.to_thread(serve.warms_up_again(world.services))
        await asyncio.gather(*(asyncio.all_tasks() - before))

    assert ([entry["event"] for entry in logs], len(tried)) == ([event], 3)
