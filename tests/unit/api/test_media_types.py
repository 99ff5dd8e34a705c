"""The media type that an Accept header asks for."""

from __future__ import annotations

import pytest

from prefrontal.api.graphql.http import GRAPHQL, JSON, answer_type


@pytest.mark.parametrize(
    ("accept", "answer"),
    [
        ("", JSON),
        ("*/*", JSON),
        ("application/*", JSON),
        ("text/html", JSON),  # whoever takes neither gets what everybody can read
        ("application/json", JSON),
        ("application/graphql-response+json", GRAPHQL),
        ("Application/GraphQL-Response+JSON; charset=utf-8", GRAPHQL),
        ("application/graphql-response+json, application/json", GRAPHQL),
        ("application/json, application/graphql-response+json", GRAPHQL),
        ("application/graphql-response+json, application/json;q=0.9", GRAPHQL),
        ("application/graphql-response+json;q=0.5, application/json", JSON),
        ("application/graphql-response+json;q=0.5, */*", JSON),
        ("application/graphql-response+json;q=0.5, */*;q=0.1", GRAPHQL),
        ("application/graphql-response+json;q=0", JSON),
        ("application/graphql-response+json;q=0, */*;q=0", JSON),
        ("application/graphql-response+json;q=nan", JSON),
        ("application/graphql-response+json;q=9", JSON),
        ("x-application/graphql-response+json-not", JSON),
        (",;,=;q=,", JSON),
    ],
)
def test_graphqls_own_media_type_is_for_who_names_it_and_likes_it_no_less(accept: str, answer: str) -> None:
    assert answer_type(accept) == answer
