"""HTTP rules before an operation is read: allowed methods, media types, and content negotiation.

The rules follow the GraphQL over HTTP draft; docs/graphql.md explains them for clients.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from prefrontal.api.middleware import error_response
from prefrontal.graph.errors import InvalidInput

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

JSON = "application/json"
GRAPHQL = "application/graphql-response+json"
BAD_REQUEST = 400
_BAD_METHOD = 405
_BAD_MEDIA_TYPE = 415

_WEIGHT = re.compile(r"(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)")
_UTF_8 = ("utf-8", "utf8")


def answer_type(accept: str) -> str:
    """Return the media type of the response for an Accept header.

    GraphQL's own media type is used only if the header names it and does not prefer `application/json`.
    """
    weights = dict(_parse_media_range(part) for part in accept.split(","))
    graphql = weights.get(GRAPHQL, 0.0)
    json = next((weights[name] for name in (JSON, "application/*", "*/*") if name in weights), 0.0)
    return GRAPHQL if graphql and graphql >= json else JSON


def refusal_of(request: Request) -> Response | None:
    """Return the error response to a request with a wrong method or media type, or None if both are right."""
    if request.method not in ("GET", "POST"):
        response = error_response(InvalidInput("GraphQL takes GET and POST"), _BAD_METHOD)
        response.headers["Allow"] = "GET, POST"
        return response
    if request.method == "GET":
        if "query" in request.query_params:
            return None
        return error_response(InvalidInput("the request has no `query`"), BAD_REQUEST)
    given, parameters = _media_type(request.headers.get("content-type", ""))
    if given != JSON:
        return error_response(InvalidInput(f"send the operation as {JSON}"), _BAD_MEDIA_TYPE)
    if parameters.get("charset", "utf-8").lower() not in _UTF_8:
        return error_response(InvalidInput("send the operation in UTF-8"), _BAD_MEDIA_TYPE)
    return None


def _parse_media_range(part: str) -> tuple[str, float]:
    """Return a media type of an Accept header with its weight `q`; 0 for an invalid weight."""
    name, parameters = _media_type(part)
    weight = parameters.get("q", "1")
    return name, float(weight) if _WEIGHT.fullmatch(weight) else 0.0


def _media_type(text: str) -> tuple[str, dict[str, str]]:
    """Return a media type and its parameters; names are lower-cased."""
    name, *rest = text.split(";")
    pairs = (parameter.partition("=") for parameter in rest)
    return name.strip().lower(), {key.strip().lower(): value.strip().strip('"') for key, _, value in pairs}
