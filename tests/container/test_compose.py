"""docker-compose.yml, brought up as a user does; these tests are one story and run in their order."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import uuid4

import httpx
import pytest

from prefrontal.api.browser.links import BrowserEndpoint, guide_url
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.embedded.processes import free_port
from scripts.containers.engine import Engine, run_checked

pytestmark = pytest.mark.nightly("a graph fixture runs on a container, and the service without one")

PATIENCE_S = 400
"""Far more than a start takes, also on a machine that does much else."""

GOALS = "{ goals { totalCount nodes { title } } }"
CREATE = """
mutation { createGoal(input: {title: "Order oolong"}) {
  ... on CreateGoalPayload { goal { title status } }
  ... on Problem { code message }
} }
"""


@dataclass
class Stack:
    """The services of the compose file under a name and on ports of their own."""

    engine: Engine
    project: str
    env: dict[str, str]
    token: str = ""
    http: httpx.Client = field(default_factory=lambda: httpx.Client(timeout=120))
    options: tuple[str, ...] = ()

    def compose(self, *arguments: str) -> str:
        files = ("-f", "docker-compose.yml", "-f", "tests/container/quicker.yml", *self.options)
        command = (*self.engine.compose, "-p", self.project, *files, *arguments)
        return run_checked(*command, env={**self.engine.env, **self.env}, cwd=ROOT).stdout

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.env['PREFRONTAL_PORT']}"

    @property
    def browser(self) -> str:
        return f"http://127.0.0.1:{self.env['PREFRONTAL_BROWSER_PORT']}"

    def up(self) -> None:
        self.compose("up", "--detach", "--no-build")
        self.await_ready()

    def await_ready(self, status: int = 200) -> None:
        """Return when the API says that it can serve, or with another status that it cannot."""
        deadline = time.monotonic() + PATIENCE_S
        said = "nothing"
        while time.monotonic() < deadline:
            try:
                answer = self.http.get(f"{self.url}/readyz")
            except httpx.HTTPError as error:
                said = repr(error)
            else:
                if answer.status_code == status:
                    return
                said = answer.text
            time.sleep(0.3)
        pytest.fail(f"/readyz said last: {said}\n{self.compose('logs')[-8000:]}")

    def ask(self, query: str) -> dict:
        headers = {"Authorization": f"Bearer {self.token}"}
        return self.http.post(f"{self.url}/graphql", json={"query": query}, headers=headers).json()


@pytest.fixture(scope="module")
def stack(engine: Engine, images, api_image: str) -> Iterator[Stack]:
    ports = {f"PREFRONTAL_{name}": str(free_port()) for name in ("PORT", "BROWSER_PORT", "BOLT_PORT")}
    env = {
        **ports,
        "NEO4J_IMAGE": images.neo4j,
        "NEO4J_PASSWORD": f"pw-{uuid4().hex}",
        # Half of what is the default, so that the tests of several people fit on one machine.
        "NEO4J_HEAP": "512m",
        "NEO4J_PAGE_CACHE": "128m",
        "PREFRONTAL_IMAGE": api_image,
        "PROXY_IMAGE": images.proxy,
        "NATS_IMAGE": images.nats,
    }
    stack = Stack(engine, f"prefrontal-{uuid4().hex[:8]}", env)
    try:
        stack.up()
        yield stack
    finally:
        stack.http.close()
        stack.compose("down", "--volumes")


def test_the_stack_comes_up_and_both_say_that_they_are_healthy(stack):
    for service in ("neo4j", "api"):
        # The check itself, run in the container: an engine without timers does not do it by itself.
        name = container_of(stack, service)
        told = json.loads(stack.engine.run("inspect", name).stdout)[0]["Config"]["Healthcheck"]["Test"]
        kind, *command = told
        command = ["sh", "-c", command[0]] if kind == "CMD-SHELL" else command
        assert stack.engine.run("exec", name, *command).returncode == 0


def container_of(stack: Stack, service: str) -> str:
    """The name of the one container of a service."""
    label = "label=com.docker.compose"
    found = stack.engine.run(
        "ps",
        "--all",
        "--quiet",
        "--filter",
        f"{label}.project={stack.project}",
        "--filter",
        f"{label}.service={service}",
    ).stdout.split()
    assert len(found) == 1
    return found[0]


def test_the_health_check_of_the_database_fails_with_another_password(stack):
    name = container_of(stack, "neo4j")
    told = json.loads(stack.engine.run("inspect", name).stdout)[0]["Config"]["Healthcheck"]["Test"]
    wrong = stack.engine.run(
        "exec", "--env", "NEO4J_AUTH=neo4j/another", name, "sh", "-c", told[1], check=False
    )
    assert wrong.returncode != 0


def test_the_demo_and_a_token_are_one_command_each(stack):
    assert "The demo story is loaded" in stack.compose("exec", "-T", "api", "prefrontal", "demo", "load")
    command = ("prefrontal", "token", "--org", "demo", "--agent", "sommelier", "--person", "ann")
    stack.token = stack.compose("exec", "-T", "api", *command).strip()

    goals = stack.ask(GOALS)["data"]["goals"]

    assert goals["totalCount"] == len(goals["nodes"]) > 3
    assert "Choose the wines for Saturday's dinner" in {goal["title"] for goal in goals["nodes"]}
    assert stack.ask(CREATE) == {
        "data": {"createGoal": {"goal": {"title": "Order oolong", "status": "PENDING"}}}
    }


def test_it_runs_with_the_settings_of_production(stack):
    assert stack.http.get(f"{stack.url}/graphiql").status_code == 404
    assert "data" not in stack.ask("{ __schema { queryType { name } } }")
    name = container_of(stack, "api")
    refused = stack.engine.run("exec", name, "touch", "/app/written", check=False)
    assert refused.returncode != 0
    assert "Read-only file system" in refused.stderr
    told = stack.engine.run("logs", name)
    lines = (told.stdout + told.stderr).splitlines()
    assert lines
    assert all("event" in json.loads(line) for line in lines)


def test_neo4j_browser_may_load_the_kit_and_nobody_else_may(stack):
    guide = f"{stack.url}/browser-kit/guide.html"
    allowed = {
        origin: stack.http.get(guide, headers={"Origin": origin}).headers.get("access-control-allow-origin")
        for origin in (stack.browser, "http://127.0.0.1:7475")
    }
    assert allowed == {stack.browser: stack.browser, "http://127.0.0.1:7475": None}
    assert guide_url(BrowserEndpoint(stack.browser, "bolt://127.0.0.1:1", "neo4j"), stack.url).startswith(
        f"{stack.browser}/browser/"
    )

    found = stack.http.get(f"{stack.browser}/", headers={"Origin": stack.url, "Accept": "application/json"})
    assert found.headers["access-control-allow-origin"] == stack.url
    assert found.json()["bolt_direct"] == f"bolt://127.0.0.1:{stack.env['PREFRONTAL_BOLT_PORT']}"
    page = stack.http.get(f"{stack.browser}/browser/")
    assert page.status_code == 200
    assert "text/html" in page.headers["content-type"]


def test_neo4j_may_be_stopped_and_started_and_the_api_comes_back(stack):
    before = stack.ask(GOALS)
    started = json.loads(stack.engine.run("inspect", container_of(stack, "api")).stdout)[0]["State"][
        "StartedAt"
    ]

    stack.compose("stop", "neo4j")
    stack.await_ready(503)
    refused = stack.ask(GOALS)
    stack.compose("start", "neo4j")
    stack.await_ready()

    assert refused["data"] is None
    assert [error["extensions"]["code"] for error in refused["errors"]] == ["unavailable"]
    assert stack.ask(GOALS) == before
    again = json.loads(stack.engine.run("inspect", container_of(stack, "api")).stdout)[0]["State"][
        "StartedAt"
    ]
    assert again == started


def test_down_and_up_again_the_data_and_tokens_are_there_under_the_wheels_image_too(stack, wheel_image):
    before = stack.ask(GOALS)

    stack.compose("down")
    assert (
        stack.engine.run(
            "ps", "--all", "--quiet", "--filter", f"label=com.docker.compose.project={stack.project}"
        ).stdout
        == ""
    )
    stack.env["PREFRONTAL_IMAGE"] = wheel_image
    stack.up()

    assert stack.ask(GOALS) == before


def test_without_a_password_nothing_is_started(engine):
    env = {name: value for name, value in os.environ.items() if name != "NEO4J_PASSWORD"}
    done = subprocess.run(
        [*engine.compose, "-p", "prefrontal-none", "-f", "docker-compose.yml", "config"],
        cwd=ROOT,
        env={**env, **engine.env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "choose a password of at least 8 characters" in done.stdout + done.stderr
