"""What the pages are made of: examples that fit the schema, unchanged vendored files, headers."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import strawberry
from graphql import parse, validate
from graphql.execution.values import get_variable_values

from prefrontal.api.app import create_app
from prefrontal.api.auth import Tokens
from prefrontal.api.graphql.schema import build_schema
from prefrontal.api.web.routes import EXAMPLES, WEB, read_examples
from prefrontal.graph.config.settings import Settings
from scripts.vendor_graphiql import FILES, LICENCES, TARGET
from tests.support.world import World
from tests.web.conftest import SECRET, in_production

TYPES = {
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "graphiql.min.js": "text/javascript; charset=utf-8",
    "examples.json": "application/json",
    "icon.svg": "image/svg+xml",
}


@pytest.fixture
async def http(world: World) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(world.services, tokens=Tokens(SECRET, world.services.settings, world.clock))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test") as client:
        yield client


def test_there_is_an_example_for_each_step_of_the_way() -> None:
    names = [example["name"] for example in read_examples()]
    assert names == [
        "1_who_am_i",
        "2_add_observations",
        "3_query_by_tag",
        "4_create_goal",
        "5_goal_lineage",
        "6_assemble_context",
        "7_turn_trace",
        "8_review_the_page",
        "9_pending_actions",
        "10_start_turn",
        "11_end_turn",
        "12_history",
        "13_revert",
        "14_propose_type",
        "15_proposals",
        "16_review_proposal",
        "17_export_proposal",
    ]
    assert len(list(EXAMPLES.iterdir())) == 2 * len(names)


@pytest.mark.parametrize("example", read_examples(), ids=lambda example: example["name"])
def test_an_example_fits_the_schema_with_its_variables(example: dict, settings: Settings) -> None:
    schema = build_schema(settings)._schema
    document = parse(example["query"])
    assert validate(schema, document) == []
    (operation,) = document.definitions
    declared = operation.variable_definitions or ()
    values = get_variable_values(schema, declared, example["variables"])
    assert not isinstance(values, list), values
    assert set(example["variables"]) == {v.variable.name.value for v in declared}
    assert example["title"]
    assert example["description"].endswith(".")


def test_the_query_for_the_ids_fits_the_schema(settings: Settings) -> None:
    picks = (WEB / "picks.graphql").read_text(encoding="utf-8")
    assert validate(build_schema(settings)._schema, parse(picks)) == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_vendored_file_is_the_one_that_strawberry_names(file) -> None:
    digest = base64.b64encode(hashlib.sha384((TARGET / file.name).read_bytes()).digest()).decode()
    assert digest == file.sha384
    page = (Path(strawberry.__file__).parent / "static" / "graphiql.html").read_text(encoding="utf-8")
    named = dict(re.findall(r'\.com/([^"]+)"\s+integrity="sha384-([^"]+)"', page))
    assert named[f"{file.package}/{file.path}"] == digest


def test_every_vendored_file_is_listed_and_no_other_is_there() -> None:
    names = {item.name for item in (*FILES, *LICENCES)}
    assert {path.name for path in TARGET.iterdir()} == names | {"VENDORED.md"}
    listed = (TARGET / "VENDORED.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in listed for name in names)


def test_the_page_loads_and_runs_nothing_but_files_of_its_own() -> None:
    page = (WEB / "graphiql.html").read_text(encoding="utf-8")
    addresses = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert len(addresses) == 11
    assert all(address.startswith("/graphiql") for address in addresses)
    assert not re.search(r"<script(?![^>]*\ssrc=)", page)
    assert not re.search(r"\son\w+=", page)


async def test_the_page_has_a_strict_content_policy(http: httpx.AsyncClient) -> None:
    answer = await http.get("/graphiql")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'self'"
    assert "script-src" not in policy
    assert policy["frame-ancestors"] == "'none'"


@pytest.mark.parametrize(("name", "media_type"), TYPES.items())
async def test_a_file_has_its_type_and_is_sent_once(
    http: httpx.AsyncClient, name: str, media_type: str
) -> None:
    first = await http.get(f"/graphiql/assets/{name}")
    assert (first.status_code, first.headers["content-type"]) == (200, media_type)
    assert first.headers["cache-control"] == "no-cache"
    again = await http.get(f"/graphiql/assets/{name}", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = await http.get(f"/graphiql/assets/{name}", headers={"If-None-Match": '"another"'})
    assert (other.status_code, other.content) == (200, first.content)


@pytest.mark.parametrize("name", ["nothing.js", "graphiql.html", "..%2Froutes.py", "VENDORED.md"])
async def test_only_named_files_are_sent(http: httpx.AsyncClient, name: str) -> None:
    assert (await http.get(f"/graphiql/assets/{name}")).status_code == 404


async def test_the_root_leads_to_the_page(http: httpx.AsyncClient) -> None:
    answer = await http.get("/")
    assert (answer.status_code, answer.headers["location"]) == (307, "/graphiql")


async def test_in_production_there_is_no_page(world: World) -> None:
    services = in_production(world.services)
    app = create_app(services, tokens=Tokens(SECRET, services.settings, world.clock))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test") as http:
        root = await http.get("/")
        assert root.status_code == 404
        assert "/graphql" in root.json()["message"]
        for path in ("/graphiql", "/graphiql/assets/page.js", "/graphiql/assets/examples.json"):
            assert (await http.get(path)).status_code == 404, path
