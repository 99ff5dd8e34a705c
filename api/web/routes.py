"""The routes of the pages: GraphiQL, the files that every page loads, and the examples.

The sources of the pages are in `web/`; `make web` builds them into `dist` here, which git ignores.
"""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

if TYPE_CHECKING:
    from starlette.requests import Request

    from prefrontal.graph.config.settings import Settings

WEB = Path(__file__).parent
DIST = WEB / "dist"
EXAMPLES = WEB / "examples"

# Named, not guessed: the types that a system knows of differ, and browsers refuse scripts of a wrong one.
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
    # The editor and GraphiQL's dialogs write style elements; scripts and workers come from files alone.
    "style-src 'self' 'unsafe-inline'",
    "font-src 'self' data:",
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
)

# A worker obeys the policy that its own file is sent with, so every file carries it.
_HEADERS = {"Content-Security-Policy": "; ".join(_POLICY)}

# A page is asked for each time and hardly ever sent twice: an update shows at once.
_ASK = "no-cache"
# The name of a built file has the hash of its content.
_KEEP = "public, max-age=31536000, immutable"

_NOT_BUILT = (
    "The pages are not built. In the checkout, run: make web\n"
    "Then reload this page. The API itself is at /graphql.\n"
)


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is sent."""

    body: bytes
    media_type: str
    etag: str
    cached: str

    def answer(self, request: Request) -> Response:
        """Return the file, or 304 when the client has this very one."""
        sent = {"ETag": self.etag, "Cache-Control": self.cached, **_HEADERS}
        known = (
            tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")
        )
        if self.etag in known:
            return Response(status_code=304, headers=sent)
        return Response(self.body, media_type=self.media_type, headers=sent)


def asset(name: str, body: bytes, cached: str = _ASK) -> Asset:
    """Return a content as it is sent under a name."""
    return Asset(body, _TYPES[Path(name).suffix], f'"{hashlib.sha256(body).hexdigest()[:32]}"', cached)


def read_examples() -> list[dict[str, Any]]:
    """Return the examples in order: name, title, description, query and variables.

    Title and description are the first two comments of the file; the variables stand beside it.
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
    """Return the examples and the query that finds what their variables name, as the page asks for them."""
    picks = (WEB / "picks.graphql").read_text(encoding="utf-8")
    return asset("examples.json", json.dumps({"examples": read_examples(), "picks": picks}).encode())


def _not_built() -> Response:
    return Response(_NOT_BUILT, 503, media_type="text/plain")


class Pages:
    """Serves the pages that are built into one folder."""

    def __init__(self, folder: Path) -> None:
        """Take the folder; nothing needs to be in it yet."""
        self._folder = folder
        self._files: dict[str, Asset] = {}

    def files(self) -> dict[str, Asset]:
        """Return every page and every file that pages load by their addresses; none when nothing is built.

        They are read once, together: the pages of one build with the files of another would not work. Until
        there are some, each request looks again, so that building them needs no restart.
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
        """Answer with the page or file of the address, or say how to build them."""
        files = self.files()
        if not files:
            return _not_built()
        found = files.get(request.url.path)
        return found.answer(request) if found else Response("not found", 404, media_type="text/plain")

    async def root(self, _: Request) -> Response:
        """Lead to GraphiQL, or say how to build it."""
        return RedirectResponse("/graphiql", 307) if self.files() else _not_built()


async def _examples(request: Request) -> Response:
    return examples().answer(request)


async def _no_page(_: Request) -> Response:
    return JSONResponse({"message": "this service has no pages; its API is at /graphql"}, 404)


def web_routes(settings: Settings, folder: Path = DIST) -> list[Route]:
    """Return `/`, `/graphiql`, its examples and `/assets/…`; in production mode there is no page."""
    if settings.production:
        return [Route("/", _no_page)]
    pages = Pages(folder)
    return [
        Route("/", pages.root),
        Route("/graphiql", pages.answer),
        Route("/graphiql/examples.json", _examples),
        Route("/assets/{name}", pages.answer),
    ]
