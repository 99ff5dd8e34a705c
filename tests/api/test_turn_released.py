"""What is left of a turn in the process once it is over: no text, no id, no file and no transaction."""

from __future__ import annotations

import asyncio
import functools
import gc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.api.conftest import Api, Client

START = "mutation ($t: String!) { startTurn(input: {turnId: $t}) { __typename } }"
ASSEMBLE = """mutation ($t: String!, $prompt: String!) {
  it: assembleContext(input: {turnId: $t, prompt: $prompt, budget: 800}) {
    ... on AssembleContextPayload { context { text } } } }"""
TRACK = """mutation ($input: TrackToolInvocationInput!) {
  it: trackToolInvocation(input: $input) { ... on TrackToolInvocationPayload { invocation { id } } } }"""
COMMIT = """mutation ($input: CommitTurnInput!) { it: commitTurn(input: $input) {
  ... on CommitTurnPayload { ok turn { id } stores { status } } } }"""

HOLDERS = {
    # Caches of pure functions, each of a fixed size, for any text that has the word or sentence.
    "stem",
    "rarity",
    "TextAnalyser.read",
    "Statements.read",
    "prefrontal.graph.scratch.text_frame.TextAnalyser",
    # How frequent a word is in its language: emptied at 100,000 words.
    "the module wordfreq",
    # What a connection to the database received last, until it receives the next answer.
    "neo4j._codec.packstream.v1.UnpackableBuffer",
}
"""What may hold a word of a turn for a while: bounded by design, and of no turn."""


async def whole_turn(client: Client, turn: str, said: str) -> str:
    """A turn in which each text has the word `said`, in a long result of a tool, too; return its id."""
    await client.run(START, t=turn)
    await client.run(ASSEMBLE, t=turn, prompt=f"What about {said}?")
    result = {"rows": [f"{said} {number} {'x' * 200}" for number in range(200)]}
    given = {"turnId": turn, "tool": "search", "parameters": {"for": said}, "result": result}
    await client.run(TRACK, input=given)
    done = (
        await client.run(
            COMMIT,
            input={
                "turnId": turn,
                "userInput": f"Tell me about {said}",
                "assistantResponse": f"{said} is fine",
                "events": [{"content": f"Asked about {said}", "importance": 0.9}],
                "observations": [{"content": f"{said} was asked for", "confidence": 0.9}],
                "outcome": {"success": True, "result": f"told about {said}"},
            },
        )
    )["it"]
    assert done["ok"]
    assert [each["status"] for each in done["stores"]] == ["COMMITTED"] * 4
    return str(done["turn"]["id"])


def backwards(text: str) -> str:
    """The text so that whoever keeps this keeps nothing that is looked for."""
    return text[::-1]


def holders(*marks: str) -> Counter[str]:
    """Name what holds a text with one of some marks, which are given backwards.

    A cache of a function is named by the function, anything else by its type and what refers to it.
    """
    wanted = [backwards(mark) for mark in marks]
    gc.collect()
    cached: dict[int, str] = {}
    for each in gc.get_objects():
        if type(each) is functools._lru_cache_wrapper and each.cache_info().maxsize is not None:
            # Of another one that holds something its parts are named.
            inside = _inside(each) if each.__qualname__ in HOLDERS else [id(each)]
            cached |= dict.fromkeys(inside, each.__qualname__)
    found: Counter[str] = Counter()
    objects = gc.get_objects()
    for each in objects:
        if each is wanted or each is objects or type(each).__name__ == "frame":
            continue
        for text in _texts(each):
            if any(text is not mark and mark in text for mark in wanted):
                found[cached.get(id(each)) or _named(each)] += 1
    return found


def _texts(holder: Any) -> Iterator[str]:
    """The texts that an object refers to: values, items and attributes, also as bytes.

    What has only texts and numbers is not tracked by the collector; so it is looked into here.
    """
    waiting = gc.get_referents(holder)
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, bytes | bytearray):
            yield each.decode(errors="replace")
        elif not gc.is_tracked(each):
            waiting += gc.get_referents(each)


def _inside(cache: Any) -> Iterator[int]:
    """The ids of a cache and of all in it: keys and results."""
    waiting, seen = [cache], set()
    while waiting:
        each = waiting.pop()
        if id(each) in seen or (each is not cache and (callable(each) or isinstance(each, ModuleType))):
            continue
        seen.add(id(each))
        waiting += gc.get_referents(each)
    return iter(seen)


def _named(each: Any) -> str:
    """The type of a holder; of a plain container with the types of what refers to it."""
    name = f"{type(each).__module__}.{type(each).__qualname__}"
    if type(each).__module__ != "builtins":
        return name
    if type(each) is dict and "__spec__" in each:
        return f"the module {each['__name__']}"
    above = {type(one).__qualname__ for one in gc.get_referrers(each)}
    return f"{name} of {sorted(above - _LOOKING)}"


_LOOKING = {"frame", "generator", "list", "list_iterator"}
"""What refers to everything while it is looked at."""


@pytest.mark.covers("TURN-131")
async def test_the_process_holds_nothing_of_a_turn_that_is_over(api: Api) -> None:
    # Written backwards, because the source of a test is in the process, too.
    said, turn = "ammoxyz", "deer-eht-fo-nrut"
    bot = api.client()
    uid = backwards(await whole_turn(bot, backwards(turn), backwards(said)))
    # The event loop holds what it has woken this task with until the next time.
    await asyncio.sleep(0)
    found = holders(said, turn, uid)
    assert set(found) <= HOLDERS, found


@pytest.mark.covers("TURN-131")
def test_what_holds_a_text_is_found() -> None:
    mark = "deer-ardnut"
    kept = [{"a": f"the {backwards(mark)}"}]

    @functools.lru_cache(maxsize=3)
    def lengths(text: str) -> int:
        return len(text)

    lengths(f"a {backwards(mark)}")
    found = holders(mark)
    assert kept
    assert sorted(name for name in found if "lengths" not in name) == ["builtins.list of []"]
    assert [name for name in found if name.endswith("lengths")]


def files() -> list[str]:
    """What the open file descriptors of this process lead to; sockets and pipes without their numbers."""
    found = []
    for each in list(Path("/proc/self/fd").iterdir()):
        try:
            found.append(str(each.readlink()).partition(":[")[0])
        except FileNotFoundError:
            # That of the listing itself.
            continue
    return sorted(found)


@pytest.mark.alone
@pytest.mark.covers("TURN-132")
@pytest.mark.nightly("what the process holds is looked at below")
async def test_a_turn_leaves_no_file_and_no_transaction_open(api: Api) -> None:
    bot = api.client()
    for number in range(2):
        await whole_turn(bot, f"t{number}", "reed")
    before = files()
    for number in range(2, 20):
        await whole_turn(bot, f"t{number}", "reed")
    gc.collect()
    assert files() == before
    open_ = await api.world.rows(
        "SHOW TRANSACTIONS YIELD currentQuery, database WHERE database <> 'system' "
        "AND NOT currentQuery CONTAINS 'SHOW TRANSACTIONS' RETURN currentQuery AS query"
    )
    assert open_ == []
