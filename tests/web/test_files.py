"""What the pages are made of: examples that fit the schema, built files, headers."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from graphql import parse, validate
from graphql.execution.values import get_variable_values
from starlette.applications import Starlette

from prefrontal.api.app import create_app
from prefrontal.api.auth import Tokens
from prefrontal.api.graphql.schema import build_schema
from prefrontal.api.web.routes import DIST, EXAMPLES, VIEWS, WEB, Pages, read_examples, web_routes
from prefrontal.graph.config.settings import ROOT, Settings
from tests.support.world import World
from tests.web.conftest import SECRET, in_production

ASKED, KEPT = "no-cache", "public, max-age=31536000, immutable"
FILES = Pages(DIST).files()


def one(part: str) -> str:
    """The address of a built file whose name has a part."""
    return next(address for address in sorted(FILES) if part in address)


SENT = [
    ("/", "text/html; charset=utf-8", ASKED),
    ("/graphiql", "text/html; charset=utf-8", ASKED),
    ("/graphiql/examples.json", "application/json", ASKED),
    (one(".css"), "text/css; charset=utf-8", KEPT),
    (one(".js"), "text/javascript; charset=utf-8", KEPT),
    (one(".svg"), "image/svg+xml", KEPT),
    (one(".ttf"), "font/ttf", KEPT),
]


def build(argument: str, root: Path) -> subprocess.CompletedProcess[str]:
    script = root / "scripts" / "build_web.py"
    return subprocess.run(
        [sys.executable, script, argument], capture_output=True, text=True, check=False, timeout=60
    )


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
        "11_commit_turn",
        "12_history",
        "13_revert",
        "14_propose_type",
        "15_proposals",
        "16_review_proposal",
        "17_export_proposal",
        "18_working_memory",
        "19_update_working_memory",
        "20_link_sessions",
        "21_suggest_goals",
        "22_link_observation",
        "23_track_tool",
        "24_record_outcome",
        "25_lessons",
        "26_turn_export",
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


def test_the_pages_are_built_from_the_sources_that_are_here() -> None:
    done = build("--check", ROOT)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_changed_source_needs_a_new_build(tmp_path: Path) -> None:
    for part in ("scripts", "web", "api/web/dist"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("node_modules"))
    schema = tmp_path / "schema.graphql"
    shutil.copy(ROOT / schema.name, schema)
    assert build("--check", tmp_path).returncode == 0
    # What the pages ask is checked against the schema.
    for source in (tmp_path / "web" / "src" / "new.ts", schema):
        before = source.read_text() if source.exists() else None
        source.write_text("# other\n")
        done = build("--check", tmp_path)
        assert (done.returncode, done.stderr.count("make web")) == (1, 1)
        source.unlink() if before is None else source.write_text(before)
    assert build("--check", tmp_path).returncode == 0


@pytest.mark.parametrize("name", ["/index", "/graphiql"])
def test_the_page_loads_and_runs_nothing_but_files_of_its_own(name: str) -> None:
    page = FILES[name].body.decode()
    addresses = re.findall(r'(?:src|href)="([^"]+)"', page)
    kinds = {Path(address).suffix for address in addresses}
    assert kinds == {".css", ".js", ".svg"}
    assert set(addresses) <= FILES.keys()
    assert not re.search(r"<script(?![^>]*\ssrc=)", page)
    assert not re.search(r"<style|\sstyle=", page)
    assert not re.search(r"\son\w+=", page)


@pytest.mark.parametrize(
    "address", ["/", "/graphiql", "/graphiql/examples.json", one(".js"), one(".worker-")]
)
async def test_everything_has_a_strict_content_policy(http: httpx.AsyncClient, address: str) -> None:
    # A worker obeys the policy of its own file, not that of the page.
    answer = await http.get(address)
    assert answer.status_code == 200
    policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
    assert policy == {
        "default-src": "'self'",
        "style-src": "'self' 'unsafe-inline'",
        "font-src": "'self' data:",
        "img-src": "'self' data:",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }


@pytest.mark.parametrize(("address", "media_type", "cached"), SENT)
async def test_a_file_has_its_type_and_is_sent_once(
    http: httpx.AsyncClient, address: str, media_type: str, cached: str
) -> None:
    first = await http.get(address)
    assert (first.status_code, first.headers["content-type"]) == (200, media_type)
    assert first.headers["cache-control"] == cached
    again = await http.get(address, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = await http.get(address, headers={"If-None-Match": '"another"'})
    assert (other.status_code, other.content) == (200, first.content)


@pytest.mark.parametrize("address", ["/", one(".js"), "/graphiql/examples.json"])
@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip", "gzip"),
        ("br, GZIP;q=0.8", "gzip"),
        ("gzip; q=0", None),
        ("gzip;q=0.000", None),
        ("identity", None),
        ("", None),
    ],
)
async def test_a_file_is_compressed_for_whoever_takes_it(
    http: httpx.AsyncClient, address: str, accepted: str, coding: str | None
) -> None:
    whole = await http.get(address, headers={"Accept-Encoding": "identity"})
    given = await http.get(address, headers={"Accept-Encoding": accepted})
    assert given.headers.get("content-encoding") == coding
    assert given.headers["vary"] == "Accept-Encoding"
    assert given.content == whole.content
    if coding:
        assert int(given.headers["content-length"]) < 0.7 * int(whole.headers["content-length"])


def test_what_is_kept_for_a_year_is_named_by_its_content() -> None:
    kept = [address for address, file in FILES.items() if file.cached == KEPT]
    pages = {"/index", "/graphiql"}
    assert len(kept) == len(FILES) - len(pages) > 10
    assert all(re.fullmatch(r"/assets/[\w.-]+-[\w-]{8}\.(js|css|svg|ttf)", address) for address in kept)


@pytest.mark.parametrize(
    "name", ["nothing.js", "graphiql.html", "..%2Fgraphiql.html", "..%2F.sources", "..%2F..%2Froutes.py"]
)
async def test_only_named_files_are_sent(http: httpx.AsyncClient, name: str) -> None:
    assert (await http.get(f"/assets/{name}")).status_code == 404


async def test_pages_that_are_not_built_say_how_to_build_them(tmp_path: Path, settings: Settings) -> None:
    folder = tmp_path / "dist"
    app = Starlette(routes=web_routes(settings, folder))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test") as http:
        for address in ("/", "/graphiql", one(".js")):
            answer = await http.get(address)
            assert (answer.status_code, answer.headers["content-type"]) == (503, "text/plain; charset=utf-8")
            assert "run: make web" in answer.text
            assert "/graphql" in answer.text
        # Built meanwhile: they are there without a restart.
        shutil.copytree(DIST, folder)
        assert (await http.get("/")).content == FILES["/index"].body
        assert (await http.get("/graphiql")).content == FILES["/graphiql"].body


async def test_every_view_of_the_workbench_is_its_page_and_other_addresses_are_not(
    http: httpx.AsyncClient,
) -> None:
    page = FILES["/index"].body
    for address in ("/", *(f"/{view}{rest}" for view in VIEWS for rest in ("", "/goal_1"))):
        assert (await http.get(address)).content == page, address
    for address in ("/index", "/nothing", f"/{VIEWS[0]}/goal_1/more"):
        assert (await http.get(address)).status_code == 404, address


async def test_in_production_there_is_no_page(world: World) -> None:
    services = in_production(world.services)
    app = create_app(services, tokens=Tokens(SECRET, services.settings, world.clock))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test") as http:
        root = await http.get("/")
        assert root.status_code == 404
        assert "/graphql" in root.json()["message"]
        for path in ("/graphiql", "/graphiql/examples.json", one(".js")):
            assert (await http.get(path)).status_code == 404, path
