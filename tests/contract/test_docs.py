"""What is generated is what the code says, and files for others follow their schemas."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys

import pytest
from dockerfile_parse import DockerfileParser
from ruamel.yaml import YAML
from testcontainers.community.neo4j import Neo4jContainer

from prefrontal.graph.bootstrap.metrics import Metrics
from prefrontal.graph.config.settings import ROOT, Settings
from prefrontal.graph.embedded.config import EVERYWHERE
from prefrontal.graph.embedded.endpoint import container_variable
from scripts.containers.images import official_python


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_table_of_settings_is_what_the_code_says():
    done = run(sys.executable, "scripts/export_settings.py", "--check")
    assert done.returncode == 0, done.stderr


def check_compose(path) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(path))


def test_the_compose_file_follows_the_compose_specification():
    done = check_compose(ROOT / "docker-compose.yml")
    assert done.returncode == 0, done.stdout


def test_a_compose_file_with_a_misspelt_key_would_be_noticed(tmp_path):
    text = (ROOT / "docker-compose.yml").read_text().replace("healthcheck:", "healthchek:")
    (tmp_path / "docker-compose.yml").write_text(text)
    assert check_compose(tmp_path / "docker-compose.yml").returncode == 1


DIGEST = "@sha256:[0-9a-f]{64}"
"""What pins an image: a tag can be moved."""


def test_the_compose_file_runs_what_the_embedded_server_runs():
    compose = YAML(typ="safe").load((ROOT / "docker-compose.yml").read_text())
    neo4j, api = compose["services"]["neo4j"], compose["services"]["api"]
    jars = (ROOT / "graph" / "embedded" / "jars.lock").read_text()

    image = Settings.model_fields["neo4j_image"].default
    assert re.fullmatch(rf"neo4j:2026\.09\.0-community{DIGEST}", image)
    assert neo4j["image"] == f"${{NEO4J_IMAGE:-{image}}}"
    assert "org.neo4j:neo4j:2026.09.0 " in jars
    assert "RETURN 1" in neo4j["healthcheck"]["test"][1]
    assert {volume.split(":")[1] for volume in neo4j["volumes"]} == {"/data", "/logs"}
    assert api["depends_on"]["neo4j"]["condition"] == "service_healthy"
    told = neo4j["environment"]
    assert {container_variable(name): told[container_variable(name)] for name in EVERYWHERE} == {
        container_variable(name): value for name, value in EVERYWHERE.items()
    }
    # Nothing is reachable from outside the machine.
    ports = [*neo4j["ports"], *api["ports"]]
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_the_image_runs_as_nobody_special_and_says_whether_it_is_healthy(tmp_path):
    parser = DockerfileParser(path=str(tmp_path), fileobj=None)
    parser.content = (ROOT / "Dockerfile").read_text()
    steps = [(step["instruction"], step["value"]) for step in parser.structure]
    names = [name for name, _ in steps]

    assert re.fullmatch(rf"python:3\.13-slim{DIGEST}", official_python())
    # Without GraphiQL and introspection, also for who runs the image without the compose file.
    assert any("PREFRONTAL_PRODUCTION=true" in value for name, value in steps if name == "ENV")
    assert ("USER", "prefrontal") in steps
    stages = [step for step in steps if step[0] in ("FROM", "USER")]
    assert stages == [
        ("FROM", "${PYTHON_IMAGE} AS pages"),
        ("FROM", "${PYTHON_IMAGE} AS base"),
        ("FROM", "base AS wheel"),
        ("USER", "prefrontal"),
        ("FROM", "base AS checkout"),
        ("USER", "prefrontal"),
    ]
    assert names[-1] == "USER"
    assert "/readyz" in dict(steps)["HEALTHCHECK"]
    assert json.loads(dict(steps)["CMD"]) == ["prefrontal", "serve"]
    # What comes from another stage is made there.
    assert ("COPY", "--from=pages /app/api/web/dist api/web/dist") in steps
    copied = [
        value.split()[0] for name, value in steps if name == "COPY" and not value.startswith("--from=pages ")
    ]
    # A wheel is there once it is built.
    for source in set(copied) - {"dist/*.whl"}:
        assert (ROOT / source).exists(), source


def test_a_setting_is_told_to_the_image_by_its_variable():
    assert container_variable("server.memory.heap.max_size") == "NEO4J_server_memory_heap_max__size"


def test_the_container_class_for_a_docker_engine_takes_what_we_give_it():
    # Making one would ask an engine; where there is none, its signature is all that can be looked at.
    parameters = inspect.signature(Neo4jContainer).parameters
    assert {"image", "username", "password"} <= parameters.keys()


@pytest.mark.parametrize("name", ["run.lock", "dev.lock"])
def test_every_locked_package_has_its_hashes_and_no_address(name):
    text = (ROOT / "requirements" / name).read_text()
    packages = [block for block in text.split("\n") if block[:1].isalnum()]
    assert len(packages) > 40
    assert "://" not in text
    assert text.count("--hash=sha256:") >= len(packages)


_FOLDERS = "graph|api|cypher|registry|tests|bench|scripts|docs|web|requirements"
_FILE = re.compile(rf"`((?:{_FOLDERS})/[\w./-]+\.\w+)`")
# The file of a domain that the guide makes up.
_EXAMPLES = {"cypher/_parts/fact_fields.cypher"}


def test_every_file_that_a_document_names_is_there():
    # The changelog names what was there at its time.
    pages = {*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")} - {ROOT / "CHANGELOG.md"}
    named = {(page.name, file) for page in pages for file in _FILE.findall(page.read_text(encoding="utf-8"))}

    assert len(named) > 30
    missing = {(page, file) for page, file in named if not (ROOT / file).is_file()}
    assert {file for _, file in missing} == _EXAMPLES, missing


@pytest.mark.covers("OPS-22..35")
def test_every_file_that_source_002_names_has_its_place_here():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    _, _, rest = page.partition("| file of the document | is here |\n")
    rows = [row.split("|")[1:3] for row in rest.partition("\n\n")[0].splitlines()[1:]]
    places = {
        file: re.findall(r"`([\w./]+\.(?:py|yaml))`", here)
        for files, here in rows
        for file in re.findall(r"`([^`]+)`", files)
    }

    assert set(places) == {
        "working_memory/__init__.py",
        *(
            f"{name}.py"
            for name in ("manager", "admission_controller", "lru_eviction", "cross_session_tracker")
        ),
        *(f"{name}.py" for name in ("session_monitor", "coherence_tracker")),
        *(f"models/{name}.py" for name in ("session", "items", "coherence", "events")),
        "config/*.yaml",
        *(f"test_{name}.py" for name in ("manager", "admission", "eviction", "correlation", "coherence")),
        "test_performance.py",
    }
    # A place is a module that is written, with what it is for in its first line.
    for file, here in places.items():
        assert here, file
        for place in here:
            assert (ROOT / place).read_text(encoding="utf-8").startswith(('"""', "# ")), place


def test_the_page_of_operations_names_every_metric():
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    said = re.findall(r"^\| `(\w+)` \| [\w, ]*\|", text, re.MULTILINE)
    served = {metric.name.removesuffix("_total") for metric in Metrics().registry.collect()}
    assert sorted(name.removesuffix("_total") for name in said) == sorted(served)
