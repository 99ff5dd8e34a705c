"""The routes of the web pages: the workbench, GraphiQL, the files that they load, and the example queries.

The sources of the pages are in `web/`. `make web` builds them into the folder `dist` beside this module,
which git ignores.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

if TYPE_CHECKING:
    from starlette.requests import Request

    from prefrontal.graph.config.settings import Settings

WEB = Path(__file__).parent
DIST = WEB / "dist"
EXAMPLES = WEB / "examples"

# Listed, not guessed by `mimetypes`: systems differ, and browsers refuse scripts with a wrong type.
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".ttf": "font/ttf",
}

_POLICY = (
    "default-src 'self'",
    # The editor and GraphiQL's dialogs add inline styles; scripts and workers are loaded from files only.
    "style-src 'self' 'unsafe-inline'",
    "font-src 'self' data:",
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
)

# A worker obeys the policy of its own file's response, so every file is sent with the policy.
_HEADERS = {"Content-Security-Policy": "; ".join(_POLICY)}

# The browser revalidates a page on each visit (usually 304), so an update is visible at once.
_ASK = "no-cache"
# The name of a built file contains the hash of its content, so the file never changes.
_KEEP = "public, max-age=31536000, immutable"

VIEWS = ("lineage", "link", "context", "turns", "sessions", "actions", "search", "registry", "history")
"""The first parts of the addresses that the workbench answers itself, as `/lineage/goal_…`."""

_NOT_BUILT = (
    "The pages are not built. In the checkout, run: make web\n"
    "Then reload this page. The API itself is at /graphql.\n"
)


@dataclass(frozen=True, slots=True)
class Asset:
    """A file with its response headers."""

    body: bytes
    media_type: str
    etag: str
    cached: str

    def answer(self, request: Request) -> Response:
        """Return the file, or 304 if the client has this version."""
        sent = {"ETag": self.etag, "Cache-Control": self.cached, "Vary": "Accept-Encoding", **_HEADERS}
        known = (
            tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")
        )
        if self.etag in known:
            return Response(status_code=304, headers=sent)
        if _takes_gzip(request):
            sent["Content-Encoding"] = "gzip"
            return Response(_gzipped(self.body), media_type=self.media_type, headers=sent)
        return Response(self.body, media_type=self.media_type, headers=sent)


def asset(name: str, body: bytes, cached: str = _ASK) -> Asset:
    """Return the asset with this content; `name` determines the media type."""
    return Asset(body, _TYPES[Path(name).suffix], f'"{hashlib.sha256(body).hexdigest()[:32]}"', cached)


@functools.cache
def _gzipped(body: bytes) -> bytes:
    """Return a file compressed with gzip. The files of a build are few and stay the same."""
    return gzip.compress(body, 6, mtime=0)


def _takes_gzip(request: Request) -> bool:
    """Return whether the client takes gzip; `gzip;q=0` refuses it."""
    for given in request.headers.get("accept-encoding", "").split(","):
        coding, _, weight = given.replace(" ", "").lower().partition(";q=")
        if coding == "gzip":
            return weight.rstrip("0") not in ("0.", "0", "") or not weight
    return False


def read_examples() -> list[dict[str, Any]]:
    """Return the examples in order: name, title, description, query and variables.

    Title and description are the first two comments of the `.graphql` file; the variables are in the
    `.json` file beside it.
    """
    examples = []
    for path in sorted(EXAMPLES.glob("*.graphql"), key=lambda path: int(path.stem.split("_")[0])):
        query = path.read_text(encoding="utf-8")
        title, description = (line.removeprefix("# ") for line in query.splitlines()[:2])
        variables = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        examples.append(
            {
                "name": path.stem,
                "title": title,
                "description": description,
                "query": query,
                "variables": variables,
            }
        )
    return examples


@functools.cache
def examples() -> Asset:
    """Return the examples as JSON, with the query (`picks`) that finds ids for their variables."""
    picks = (WEB / "picks.graphql").read_text(encoding="utf-8")
    return asset("examples.json", json.dumps({"examples": read_examples(), "picks": picks}).encode())


def _not_built() -> Response:
    return Response(_NOT_BUILT, 503, media_type="text/plain")


class Pages:
    """Serves the built pages in a folder."""

    def __init__(self, folder: Path) -> None:
        """Store the folder; it may be empty or missing until the pages are built."""
        self._folder = folder
        self._files: dict[str, Asset] = {}

    def files(self) -> dict[str, Asset]:
        """Return the pages and their files by URL path; empty if the pages are not built.

        All files are read once, together: pages of one build would not work with files of another. While
        there are none, each request looks again, so that building the pages needs no restart.
        """
        if not self._files and self._folder.is_dir():
            pages = {
                f"/{path.stem}": asset(path.name, path.read_bytes()) for path in self._folder.glob("*.html")
            }
            self._files = pages | {
                f"/assets/{path.name}": asset(path.name, path.read_bytes(), _KEEP)
                for path in (self._folder / "assets").iterdir()
            }
        return self._files

    async def answer(self, request: Request) -> Response:
        """Return the page or file of the URL path, 404, or instructions to build the pages."""
        return self._answer(request, request.url.path)

    async def workbench(self, request: Request) -> Response:
        """Return the workbench, which shows the view of the address, or how to build the pages."""
        return self._answer(request, "/index")

    def _answer(self, request: Request, path: str) -> Response:
        files = self.files()
        if not files:
            return _not_built()
        found = files.get(path)
        return found.answer(request) if found else Response("not found", 404, media_type="text/plain")


async def _examples(request: Request) -> Response:
    return examples().answer(request)


async def _no_page(_: Request) -> Response:
    return JSONResponse({"message": "this service has no pages; its API is at /graphql"}, 404)


def web_routes(settings: Settings, folder: Path = DIST) -> list[Route]:
    """Return the routes of the pages, their files and the examples; no pages in production mode."""
    if settings.production:
        return [Route("/", _no_page)]
    pages = Pages(folder)
    return [
        Route("/", pages.workbench),
        *(Route(f"/{view}{rest}", pages.workbench) for view in VIEWS for rest in ("", "/{id}")),
        Route("/graphiql", pages.answer),
        Route("/graphiql/examples.json", _examples),
        Route("/assets/{name}", pages.answer),
    ]
