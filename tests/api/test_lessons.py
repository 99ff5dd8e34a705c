"""Lessons over GraphQL: listed by what they are about, read by id, retired and restored."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Api
from tests.support.learning import call, taught

pytestmark = pytest.mark.nightly(
    "its rules are tested on the graph; each query and mutation over HTTP: the walks"
)

FIELDS = """id statement says source tags tools support contradiction confidence conflicting live
    retiredAt retiredReason version createdAt updatedAt space { id } createdBy { key } turn { key }
    contradicts { totalCount nodes { id statement } }"""
LIST = (
    f"query($filter: LessonFilterInput) {{ lessons(filter: $filter) {{ totalCount nodes {{ {FIELDS} }} }} }}"
)
RETIRE = f"""mutation($input: RetireLessonInput!) {{ it: retireLesson(input: $input) {{ __typename
    ... on RetireLessonPayload {{ lesson {{ {FIELDS} }} }} ... on Problem {{ code field }} }} }}"""
RESTORE = f"""mutation($input: RestoreLessonInput!) {{ it: restoreLesson(input: $input) {{ __typename
    ... on RestoreLessonPayload {{ lesson {{ {FIELDS} }} }} ... on Problem {{ code field }} }} }}"""


async def listed(api: Api, **wanted: Any) -> list[dict[str, Any]]:
    found = (await api.client().run(LIST, filter=wanted))["lessons"]
    assert found["totalCount"] == len(found["nodes"])
    return list(found["nodes"])


@pytest.mark.covers("OUT-22")
async def test_lessons_are_listed_and_read_by_id(api: Api) -> None:
    caller = await api.world.caller()
    await taught(
        api.world, caller, call("weather_api", "rate limit", location="Paris"), call("search"), turn="monday"
    )
    (lesson,) = await listed(api, tags=["lesson", "paris"], tool="search", minSupport=1, minConfidence=0.5)

    assert lesson["statement"] == "weather_api has rate limits; use search as fallback"
    assert (lesson["says"], lesson["source"]) == ("FALLBACK", "LOG")
    assert (lesson["support"], lesson["contradiction"], lesson["confidence"]) == (1, 0, 0.5)
    assert (lesson["turn"], lesson["createdBy"]) == ({"key": "monday"}, {"key": "bot"})
    assert await listed(api, minSupport=2) == await listed(api, tags=["oslo"]) == []
    for query in ("lesson(id: $id)", "node(id: $id)"):
        found = await api.client().run(
            f"query($id: ID!) {{ it: {query} {{ ... on Lesson {{ {FIELDS} }} }} }}", id=lesson["id"]
        )
        assert found["it"] == lesson
        theirs = await api.client("other").run(
            f"query($id: ID!) {{ it: {query} {{ ... on Lesson {{ {FIELDS} }} }} }}", id=lesson["id"]
        )
        assert theirs["it"] is None


@pytest.mark.covers("OUT-28")
async def test_what_contradicts_a_lesson_is_shown(api: Api) -> None:
    caller = await api.world.caller()
    await taught(api.world, caller, what_worked="Caching", what_could_improve="Caching")
    one, other = await listed(api)
    assert (one["conflicting"], other["conflicting"]) == (True, True)
    assert one["contradicts"]["nodes"] == [{"id": other["id"], "statement": other["statement"]}]
    assert other["contradicts"]["totalCount"] == 1


async def test_a_lesson_is_retired_and_restored(api: Api) -> None:
    caller, client = await api.world.caller(), api.client()
    await taught(api.world, caller, what_worked="Caching helps")
    (lesson,) = await listed(api)
    given = {"id": lesson["id"], "reason": "No more", "expectedVersion": 1}
    gone = (await client.run(RETIRE, input=given))["it"]["lesson"]

    assert (gone["live"], gone["retiredReason"], gone["version"]) == (False, "No more", 2)
    assert gone["retiredAt"] == gone["updatedAt"]
    assert await listed(api) == []
    assert await listed(api, includeRetired=True) == [gone]
    conflict = await client.run(RESTORE, input={"id": lesson["id"], "expectedVersion": 1})
    assert conflict["it"]["code"] == "version_conflict"
    back = (await client.run(RESTORE, input={"id": lesson["id"], "expectedVersion": 2}))["it"]["lesson"]
    assert (back["live"], back["retiredAt"], back["retiredReason"]) == (True, None, None)


async def test_a_search_shows_a_lesson(api: Api) -> None:
    await taught(api.world, await api.world.caller(), what_worked="Caching helps")
    found = await api.client().run(
        '{ searchMemory(text: "caching", filter: {kinds: [LESSON]}) { edges { kind text node { '
        "... on Lesson { statement } } } } }"
    )
    assert found["searchMemory"]["edges"] == [
        {
            "kind": "LESSON",
            "text": "What worked: Caching helps",
            "node": {"statement": "What worked: Caching helps"},
        }
    ]
