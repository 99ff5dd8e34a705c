"""The routes from which Neo4j Browser loads its guide, style and queries: `/browser-kit/…`.

Neo4j Browser is a page of another origin, so CORS headers allow that origin, and no other, to read them.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.routing import Route

from prefrontal.api.browser.links import DEMO, KIT, queries
from prefrontal.graph.errors import InvalidInput

if TYPE_CHECKING:
    from starlette.requests import Request

    from prefrontal.graph.config.settings import Settings

_SLIDE = """\
    <slide class="row-fluid">
      <div class="col-sm-12">
        <h3>{title}</h3>
        <p>{description}</p>
        <pre class="pre-scrollable code runnable">{text}</pre>
      </div>
    </slide>"""


def guide(base_url: str, org: str = DEMO) -> str:
    """Return the guide in Browser's format: one slide per query."""
    slides = "\n".join(
        _SLIDE.format(
            title=html.escape(query.title, quote=False),
            description=html.escape(query.description, quote=False),
            text=html.escape(query.text, quote=False),
        )
        for query in queries(org)
    )
    page = (KIT / "guide.html").read_text(encoding="utf-8")
    for name, value in (("org", html.escape(org)), ("base_url", html.escape(base_url)), ("slides", slides)):
        page = page.replace("{{" + name + "}}", value)
    return page


def favorites(org: str = DEMO) -> str:
    """Return all queries as one file of statements, which Neo4j Browser imports as favorites."""
    return "\n\n".join(f"{query.text};" for query in queries(org)) + "\n"


def browser_origins(settings: Settings) -> list[str]:
    """Return the origins from which Neo4j Browser may be served."""
    hosts = {"127.0.0.1", "localhost", settings.host}
    return sorted(f"http://{host}:{settings.browser_port}" for host in hosts)


def browser_routes(settings: Settings) -> list[Route]:
    """Return the routes of the guide, the style and the queries; `?org=` selects an organisation."""

    def answer(text: str, media_type: str) -> Response:
        return Response(text, media_type=media_type, headers={"Cache-Control": "no-cache"})

    def refusal(error: InvalidInput) -> Response:
        return Response(f"{error.field}: {error.message}", 400, media_type="text/plain")

    async def guide_page(request: Request) -> Response:
        base_url = str(request.base_url).rstrip("/")
        try:
            return answer(guide(base_url, request.query_params.get("org", DEMO)), "text/html")
        except InvalidInput as error:
            return refusal(error)

    async def style(_: Request) -> Response:
        return answer((KIT / "style.grass").read_text(encoding="utf-8"), "text/plain")

    async def favorites_file(request: Request) -> Response:
        try:
            return answer(favorites(request.query_params.get("org", DEMO)), "text/plain")
        except InvalidInput as error:
            return refusal(error)

    # Neo4j Browser requests a guide with these two headers, so it sends a CORS preflight first.
    readers = [
        Middleware(
            CORSMiddleware,
            allow_origins=browser_origins(settings),
            allow_methods=["GET"],
            allow_headers=["Cache-Control", "Pragma", "Sentry-Trace"],
        ),
    ]
    files = {"guide.html": guide_page, "style.grass": style, "favorites.cypher": favorites_file}
    return [
        Route(f"/browser-kit/{name}", endpoint, methods=["GET", "OPTIONS"], middleware=readers)
        for name, endpoint in files.items()
    ]
