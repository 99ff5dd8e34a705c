"""The routes from which Neo4j Browser loads its guides, style and queries: `/browser-kit/…`.

Neo4j Browser is a page of another origin, so CORS headers allow that origin, and no other, to read them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.routing import Route

from prefrontal.api.browser.guides import GUIDES, Guide, favorites, guide
from prefrontal.api.browser.links import DEMO, KIT
from prefrontal.graph.errors import InvalidInput, NotFound, Unauthenticated

if TYPE_CHECKING:
    from starlette.requests import Request

    from prefrontal.api.browser.signed import SignedGuides
    from prefrontal.graph.config.settings import Settings

    Endpoint = Callable[[Request], Awaitable[Response]]


def browser_origins(settings: Settings) -> list[str]:
    """Return the origins from which Neo4j Browser may be served."""
    hosts = {"127.0.0.1", "localhost", settings.host}
    origins = {f"http://{host}:{settings.browser_port}" for host in hosts}
    if settings.browser_url is not None:
        place = urlsplit(settings.browser_url)
        origins.add(f"{place.scheme}://{place.netloc}")
    return sorted(origins)


def browser_routes(origins: list[str], *, org: str = DEMO, signed: SignedGuides | None = None) -> list[Route]:
    """Return the routes of the guides, the style and the queries.

    Args:
        origins: The origins that may read them.
        org: The organisation that the guides are about; `?org=` selects another one.
        signed: Opens the guides about one goal or turn; without it there are none.
    """

    async def style(_: Request) -> Response:
        return _answer((KIT / "style.grass").read_text(encoding="utf-8"), "text/plain")

    async def favorites_file(request: Request) -> Response:
        return _answer(favorites(request.query_params.get("org", org)), "text/plain")

    def page(shown: Guide) -> Endpoint:
        async def answer(request: Request) -> Response:
            return _answer(guide(shown, _base(request), request.query_params.get("org", org)), "text/html")

        return answer

    files: dict[str, Endpoint] = {f"{each.name}.html": page(each) for each in GUIDES}
    files |= {"style.grass": style, "favorites.cypher": favorites_file}
    if signed is not None:
        opens = signed

        async def about(request: Request) -> Response:
            shown, of, subject = await opens.open(request.query_params.get("link", ""))
            return _answer(guide(shown, _base(request), of, subject), "text/html", kept="no-store")

        files["about.html"] = about
    # Neo4j Browser requests a guide with these headers, so it sends a CORS preflight first: the last one if
    # their address is on `localhost`.
    readers = [
        Middleware(
            CORSMiddleware,
            allow_origins=origins,
            allow_methods=["GET"],
            allow_headers=["Cache-Control", "Pragma", "Sentry-Trace"],
        ),
    ]
    return [
        Route(f"/browser-kit/{name}", _refusing(endpoint), methods=["GET", "OPTIONS"], middleware=readers)
        for name, endpoint in files.items()
    ]


def _answer(text: str, media_type: str, kept: str = "no-cache") -> Response:
    return Response(text, media_type=media_type, headers={"Cache-Control": kept})


def _base(request: Request) -> str:
    return str(request.base_url).rstrip("/")


def _refusing(endpoint: Endpoint) -> Endpoint:
    """Return an endpoint that answers what is refused with a line of text."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except InvalidInput as error:
            return Response(f"{error.field}: {error.message}", 400, media_type="text/plain")
        except Unauthenticated as error:
            return Response(error.message, 403, media_type="text/plain")
        except NotFound as error:
            return Response(error.message, 404, media_type="text/plain")

    return answer
