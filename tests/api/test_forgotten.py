"""Forgotten texts over GraphQL: what went with a memory, and who is refused."""

from __future__ import annotations

import pytest

from tests.api.conftest import Api

pytestmark = pytest.mark.nightly(
    "its rules are tested on the graph; each query and mutation over HTTP: the walks"
)

ADD = """mutation ($content: String!) { it: addObservation(input: {content: $content}) {
    ... on AddObservationPayload { observation { id status } } ... on Problem { code field } } }"""
ADD_ALL = """mutation ($entries: [ObservationInput!]!) {
    it: addObservations(input: {observations: $entries}) {
    ... on AddObservationsPayload { ok } ... on Problem { code problems { field } } } }"""
REMEMBER = """mutation { it: remember(input: {memories: [{kind: FACT, content: "PIN 7"}]}) {
    ... on RememberPayload { memories { id } } } }"""
FORGET = """mutation ($id: ID!) { it: forget(input: {id: $id}) {
    ... on ForgetPayload { memory { status } others { id }
      observations { totalCount nodes { id status content } } } ... on Problem { code } } }"""


async def test_forget_shows_the_observations_and_their_text_is_refused(api: Api) -> None:
    client = api.client("bot")
    note = (await client.run(ADD, content="pin 7"))["it"]["observation"]
    (memory,) = (await client.run(REMEMBER))["it"]["memories"]

    gone = (await client.run(FORGET, id=memory["id"]))["it"]

    archived = {"id": note["id"], "status": "ARCHIVED", "content": "pin 7"}
    assert gone == {
        "memory": {"status": "FORGOTTEN"},
        "others": [],
        "observations": {"totalCount": 1, "nodes": [archived]},
    }
    assert (await client.run(ADD, content="PIN 7"))["it"] == {"code": "forgotten", "field": "content"}
    entries = [{"content": text} for text in ("pin  7", "fine", "Pin 7")]
    refused = (await client.run(ADD_ALL, entries=entries))["it"]
    assert (refused["code"], [each["field"] for each in refused["problems"]]) == (
        "forgotten",
        ["observations[0].content", "observations[2].content"],
    )
