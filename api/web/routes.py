"""The routes of GraphiQL: the page, its files, and the examples."""

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
EXAMPLES = WEB / "examples"

# Named, not guessed: the types that a system knows of differ, and browsers refuse scripts of a wrong one.
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}

_POLICY = (
    "default-src 'self'",
    # GraphiQL's dialogs write a style element; scripts come from files alone.
    "style-src 'self' 'unsafe-inline'",
    "font-src 'self' data:",
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
)


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is sent."""

    body: bytes
    media_type: str
    etag: str

    def answer(self, request: Request, headers: dict[str, str] | None = None) -> Response:
        """Return the file, or 304 when the client has this very one."""
        # Asked for each time and hardly ever sent twice: an update shows at once.
        sent = {"ETag": self.etag, "Cache-Control": "no-cache", **(headers or {})}
        known = (
            tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")
        )
        if self.etag in known:
            return Response(status_code=304, headers=sent)
        return Response(self.body, media_type=self.media_type, headers=sent)


def asset(name: str, body: bytes) -> Asset:
    """Return a content as it is sent under a name."""
    return Asset(body, _TYPES[Path(name).suffix], f'"{hashlib.sha256(body).hexdigest()[:32]}"')


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
def assets() -> dict[str, Asset]:
    """Return every file of the page by its name, read once."""
    files = [
        *(WEB / name for name in ("graphiql.html", "page.css", "page.js", "session.js", "examples.js")),
        WEB / "icon.svg",
        *(path for path in (WEB / "vendor" / "graphiql").iterdir() if path.suffix in _TYPES),
    ]
    found = {path.name: asset(path.name, path.read_bytes()) for path in files}
    picks = (WEB / "picks.graphql").read_text(encoding="utf-8")
    examples = {"examples": read_examples(), "picks": picks}
    return found | {"examples.json": asset("examples.json", json.dumps(examples).encode())}


async def _page(request: Request) -> Response:
    return assets()["graphiql.html"].answer(request, {"Content-Security-Policy": "; ".join(_POLICY)})


async def _asset(request: Request) -> Response:
    found = assets().get(request.path_params["name"])
    if found is None or found.media_type.startswith("text/html"):
        return Response("not found", 404, media_type="text/plain")
    return found.answer(request)


async def _to_page(_: Request) -> Response:
    return RedirectResponse("/graphiql", 307)


async def _no_page(_: Request) -> Response:
    return JSONResponse({"message": "this service has no pages; its API is at /graphql"}, 404)


def web_routes(settings: Settings) -> list[Route]:
    """Return `/`, `/graphiql` and `/graphiql/assets/…`; in production mode there is no page."""
    if settings.production:
        return [Route("/", _no_page)]
    return [
        Route("/", _to_page),
        Route("/graphiql", _page),
        Route("/graphiql/assets/{name}", _asset),
    ]
