"""Topics: what observations and goals are about, as nodes of their spaces."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, Caller, SpacePermission
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    EvidenceDraft,
    Goal,
    GoalStatus,
    KnownGoal,
    LinkObservation,
    ShareGoal,
    TransitionGoal,
    UnlinkObservation,
    UpsertGoal,
)
from prefrontal.graph.history.record import Revert
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.scratch.record import (
    ArchiveObservation,
    Observation,
    ObservationDraft,
    SweepExpired,
    UpdateObservation,
)
from tests.support.integrity import halves
from tests.support.open_transaction import blocked, open_transaction
from tests.support.world import World

NIGHTLY = pytest.mark.nightly("the topics of tags, of words and of evidence are tried with each change")

OWN, EVIDENCE, BOTH = (True, False), (False, True), (True, True)


async def add(world: World, caller: Caller, content: str, **more: Any) -> Observation:
    space = more.pop("space", None)
    (stored,) = await world.services.scratch.service.add(
        caller, [ObservationDraft(content=content, **more)], space=space
    )
    return stored


async def goal(world: World, caller: Caller, title: str, *evidence: Observation, **more: Any) -> Goal:
    drafts = tuple(EvidenceDraft(observation_id=o.uid) for o in evidence)
    return await world.services.goals.service.create(caller, CreateGoal(title=title, evidence=drafts, **more))


async def about(world: World, record: Observation | Goal) -> dict[str, tuple[bool | None, bool | None]]:
    """The topics of a record: whether the record itself, and whether evidence of it, has each."""
    rows = await world.rows(
        "MATCH (n {uid: $uid})-[on:ON]->(t:Topic {org_id: $org}) "
        "WHERE on.scope_id = n.scope_id AND on.scope_id = t.scope_id AND on.topic_uid = t.uid "
        "AND on.from_uid = n.uid RETURN t.key AS key, on.own AS own, on.evidence AS evidence ORDER BY key",
        uid=record.uid,
    )
    (linked,) = await world.rows("MATCH (n {uid: $uid}) RETURN COUNT { (n)-[:ON]->() } AS n", uid=record.uid)
    assert linked["n"] == len(rows) == len({row["key"] for row in rows})
    return {row["key"]: (row["own"], row["evidence"]) for row in rows}


async def topics(world: World) -> list[tuple[str, str, int]]:
    """Every topic: its space, its key, and how many records are about it."""
    rows = await world.rows(
        "MATCH (t:Topic {org_id: $org}) "
        "RETURN t.scope_id AS space, t.key AS key, COUNT { (t)<-[:ON]-() } AS records ORDER BY space, key"
    )
    return [tuple(row.values()) for row in rows]


async def test_an_observation_is_about_its_tags_and_then_the_first_words_of_its_text(world: World) -> None:
    caller = await world.caller()
    text = "The cellars hold Burgundy wines, bottles, corks, labels, crates, shelves and barrels"

    o = await add(world, caller, text, tags=("Red Wine", "wines"))

    kept = ["red win", "wine", "cellar", "hold", "burgundi"]
    assert world.services.catalog.goals.topics.per_observation == len(kept)
    assert await about(world, o) == dict.fromkeys(sorted(kept), (None, None))
    nodes = await world.rows(
        "MATCH (t:Topic {org_id: $org, key: 'burgundi'}) RETURN t.uid AS uid, t.name AS name, "
        "t.scope_id AS space, t.by_uid AS by_uid, t.created_at = $now AS now",
        now=o.created_at,
    )
    assert [kind_of(row.pop("uid")) for row in nodes] == [Kind.TOPIC]
    assert nodes == [{"name": "burgundi", "space": caller.home, "by_uid": caller.actor_id, "now": True}]


async def test_a_word_is_one_topic_of_a_space_and_another_one_of_another_space(world: World) -> None:
    bot, other = await world.caller(), await world.caller("other")
    for caller in (bot, bot, other):
        await add(world, caller, "Wine")
    await goal(world, bot, "Choose a wine")

    assert await topics(world) == sorted(
        [(bot.home, "choos", 1), (bot.home, "wine", 3), (other.home, "wine", 1)]
    )


async def test_a_long_word_is_no_topic(world: World) -> None:
    caller = await world.caller()
    o = await add(world, caller, f"{'x' * 100} {'y' * 101} {'z' * 15_000}")

    made = await goal(world, caller, "z" * 300, o)

    assert await about(world, o) == {"x" * 100: (None, None)}
    assert await about(world, made) == {"x" * 100: EVIDENCE}


@NIGHTLY
async def test_a_change_of_the_text_or_the_tags_changes_the_topics(world: World) -> None:
    caller = await world.caller()
    o = await add(world, caller, "Burgundy wine", tags=("cellar",))
    await add(world, caller, "Wine")
    change = world.services.scratch.service.change

    await change(caller, UpdateObservation(id=o.uid, content="Wine and bread"))
    assert await about(world, o) == dict.fromkeys(["bread", "cellar", "wine"], (None, None))
    await change(caller, UpdateObservation(id=o.uid, tags=()))
    assert await about(world, o) == dict.fromkeys(["bread", "wine"], (None, None))
    await change(caller, UpdateObservation(id=o.uid, confidence=0.3))
    await change(caller, ArchiveObservation(id=o.uid))

    assert await about(world, o) == dict.fromkeys(["bread", "wine"], (None, None))
    # What nobody is about any more is gone: the stem of a word is content.
    assert await topics(world) == [(caller.home, "bread", 1), (caller.home, "wine", 2)]
    assert await halves(world) == []


@NIGHTLY
async def test_a_goal_is_about_its_title_its_type_and_its_evidence(world: World) -> None:
    caller = await world.caller()
    first, later = (
        await add(world, caller, "Burgundy wine"),
        await add(world, caller, "A cellar", tags=("rack",)),
    )
    made = await goal(world, caller, "Choose a wine", first, goal_type="house_hold")
    assert await about(world, made) == {
        "burgundi": EVIDENCE,
        "choos": OWN,
        "hold": OWN,
        "hous": OWN,
        "wine": BOTH,
    }

    services = world.services.goals
    await services.evidence.link(caller, LinkObservation(goal_id=made.uid, observation_id=later.uid))
    # Evidence was about it, also when it is unlinked.
    await services.evidence.unlink(caller, UnlinkObservation(goal_id=made.uid, observation_id=later.uid))
    await services.upsert.upsert(caller, UpsertGoal(id=made.uid, title="Buy a rack", goal_type=None))

    assert await about(world, made) == {
        "burgundi": EVIDENCE,
        "buy": OWN,
        "cellar": EVIDENCE,
        "rack": BOTH,
        "wine": EVIDENCE,
    }
    await world.services.history.revert.revert(caller, Revert(id=made.uid, version=1))
    assert await about(world, made) == {
        "burgundi": EVIDENCE,
        "cellar": EVIDENCE,
        "choos": OWN,
        "hold": OWN,
        "hous": OWN,
        "rack": EVIDENCE,
        "wine": BOTH,
    }
    assert [key for _, key, _ in await topics(world)] == sorted(await about(world, made))
    assert await halves(world) == []


async def test_a_goal_keeps_so_many_topics_of_its_evidence(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = world.services.catalog
    table = catalog.goals.topics.model_copy(update={"per_goal": 3})
    few = catalog.goals.model_copy(update={"topics": table})
    object.__setattr__(catalog, "goals", few)
    caller = await world.caller()
    made = await goal(world, caller, "Echo", await add(world, caller, "Delta bravo"))

    for text in ("Bravo echo charlie alpha", "Foxtrot"):
        o = await add(world, caller, text)
        await world.services.goals.evidence.link(
            caller, LinkObservation(goal_id=made.uid, observation_id=o.uid)
        )

    assert await about(world, made) == {"alpha": EVIDENCE, "bravo": EVIDENCE, "delta": EVIDENCE, "echo": OWN}


async def test_evidence_of_another_space_gives_a_goal_no_topics(world: World) -> None:
    """Who reads the team's space may not learn the words of a private text that supports the team's goal."""
    bot, _ = await world.caller(), await world.caller("other")
    team = await world.services.access.create_space(bot, CreateSpace(name="team"))
    bot = await world.caller()
    await world.grant(
        bot,
        GrantAccess(
            space=team, actor=Actor(kind=ActorKind.AGENT, key="other"), permission=SpacePermission.WRITE
        ),
    )
    other = await world.caller("other")
    secret, known = await add(world, bot, "Secret merger"), await add(world, bot, "Public offer", space=team)

    made = await goal(world, bot, "Plan", secret, known, space=team)
    another = await goal(world, bot, "Plan", space=team)
    for o in (secret, known):
        await world.services.goals.evidence.link(
            bot, LinkObservation(goal_id=another.uid, observation_id=o.uid)
        )

    for each in (made, another):
        assert await about(world, each) == {"offer": EVIDENCE, "plan": OWN, "public": EVIDENCE}
    assert {key for space, key, _ in await topics(world) if space in other.readable} == {
        "offer",
        "plan",
        "public",
    }
    crossing = await world.rows(
        "MATCH (n {org_id: $org})-[on:ON]->(t) WHERE n.scope_id <> t.scope_id OR on.scope_id <> t.scope_id "
        "RETURN n.uid"
    )
    assert crossing == []


async def test_a_goal_shared_for_writing_is_renamed_within_its_space(world: World) -> None:
    bot, other = await world.caller(), await world.caller("other")
    made = await goal(world, bot, "Wine")
    actor = Actor(kind=ActorKind.AGENT, key="other")
    await world.services.goals.sharing.share(
        bot, ShareGoal(goal_id=made.uid, actor=actor, permission=SpacePermission.WRITE)
    )
    other = await world.caller("other")
    private = await add(world, other, "Secret")

    await world.services.goals.upsert.upsert(other, UpsertGoal(id=made.uid, title="Bread"))
    await world.services.goals.evidence.link(
        other, LinkObservation(goal_id=made.uid, observation_id=private.uid)
    )

    assert await about(world, made) == {"bread": OWN}
    assert await topics(world) == sorted([(bot.home, "bread", 1), (other.home, "secret", 1)])


async def test_a_topic_goes_with_the_last_expired_observation_about_it(world: World) -> None:
    caller = await world.caller()
    for text, minutes in (("Burgundy wine", 1), ("Wine and bread", 1), ("Bread", 9)):
        await add(world, caller, text, ttl_minutes=minutes)
    world.clock.advance(minutes=2)

    catalog = world.services.catalog
    object.__setattr__(catalog, "scratch", catalog.scratch.model_copy(update={"on_expiry": "delete"}))

    swept = await world.services.scratch.expiry.sweep(caller, SweepExpired())

    assert (swept.archived, swept.deleted) == (0, 2)
    assert await topics(world) == [(caller.home, "bread", 1)]


async def test_writers_about_the_same_topics_in_any_order_do_not_deadlock(world: World) -> None:
    caller = await world.caller()
    words = ["alpha", "bravo", "charlie", "delta"]
    await add(world, caller, " ".join(words[:2]))
    world.statements.clear()

    await asyncio.gather(
        *(
            world.services.scratch.service.add(
                caller, [ObservationDraft(content=word) for word in (words if n % 2 else reversed(words))]
            )
            for n in range(8)
        )
    )

    # A deadlock would have run the statement again.
    assert world.statements.names.count("scratch/create_observations") == 8
    assert await topics(world) == [
        (caller.home, "alpha", 9),
        (caller.home, "bravo", 9),
        (caller.home, "charli", 8),
        (caller.home, "delta", 8),
    ]


async def test_two_writers_make_a_new_topic_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    caller = await world.caller()

    async with open_transaction(world, monkeypatch, add(world, caller, "alpha bravo")) as first:
        second = asyncio.create_task(add(world, caller, "bravo alpha"))
        assert await blocked(world, second, caller, "MERGE (t:Topic")
    await asyncio.gather(first, second)

    assert await topics(world) == [(caller.home, "alpha", 2), (caller.home, "bravo", 2)]


async def test_writers_about_the_same_known_topic_do_not_wait(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = await world.caller()
    known = await add(world, caller, "alpha")
    another = await add(world, caller, "alpha")

    async with open_transaction(world, monkeypatch, goal(world, caller, "Alpha", known)) as first:
        # Who waited for the first would be late.
        await asyncio.gather(goal(world, caller, "Alpha", another), add(world, caller, "alpha"))
        assert not first.done()
    await first

    assert await topics(world) == [(caller.home, "alpha", 5)]


async def test_writers_about_different_new_topics_do_not_wait(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = await world.caller()

    async with open_transaction(world, monkeypatch, add(world, caller, "alpha")) as first:
        assert (await add(world, caller, "bravo")).content == "bravo"
        assert not first.done()
    await first


async def test_a_topic_that_is_deleted_meanwhile_is_made_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = await world.caller()
    o = await add(world, caller, "alpha")
    change = world.services.scratch.service.change(caller, UpdateObservation(id=o.uid, content="bravo"))

    async with open_transaction(world, monkeypatch, change) as first:
        second = asyncio.create_task(add(world, caller, "alpha"))
        assert await blocked(world, second, caller, "MERGE (t:Topic")
    await first

    assert (await second).content == "alpha"
    assert await topics(world) == [(caller.home, "alpha", 1), (caller.home, "bravo", 1)]


async def test_a_topic_that_somebody_writes_about_meanwhile_stays(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = await world.caller()
    o, *others = await world.services.scratch.service.add(
        caller, [ObservationDraft(content="alpha") for _ in range(100)]
    )
    # A node that once had many relationships is locked more finely than others, also when few are left.
    await world.rows(
        "MATCH (o:Observation {org_id: $org}) WHERE o.uid IN $uids DETACH DELETE o",
        uids=[other.uid for other in others],
    )

    async with open_transaction(world, monkeypatch, add(world, caller, "alpha")) as first:
        change = UpdateObservation(id=o.uid, content="bravo")
        second = asyncio.create_task(world.services.scratch.service.change(caller, change))
        assert await blocked(world, second, caller)
    await first

    assert (await second).content == "bravo"
    assert await topics(world) == [(caller.home, "alpha", 1), (caller.home, "bravo", 1)]


async def test_an_evaluation_sees_active_goals_of_its_space_by_topic_and_the_oldest_by_type(
    world: World,
) -> None:
    bot, other = await world.caller(), await world.caller("other")
    wine = await goal(world, bot, "Wine and cheese", goal_type="dinner")
    older = await goal(world, bot, "Plain", goal_type="chore")
    await goal(world, bot, "Simple", goal_type="chore")
    await goal(world, other, "Wine", goal_type="chore")
    ended = await goal(world, bot, "Wine", goal_type="chore")
    await world.services.goals.transitions.transition(
        bot, TransitionGoal(id=ended.uid, status=GoalStatus.COMPLETED)
    )
    stranger = await goal(world, other, "Wine")

    async def look(caller: Caller, *uids: str) -> tuple[list[KnownGoal], list[KnownGoal]]:
        topics = [(caller.home, key) for key in ("bread", "chees", "wine")]
        return await world.services.database.read(
            lambda tx: world.services.goals.service.known_in(tx, caller, topics, [(bot.home, "chore")], uids)
        )

    active, named = await look(bot, wine.uid, ended.uid, stranger.uid)

    assert {known.uid: known.topics for known in active} == {
        wine.uid: frozenset({"chees", "wine"}),
        older.uid: frozenset(),
    }
    assert [(known.uid, known.topics, known.status) for known in named] == [
        (wine.uid, frozenset(), GoalStatus.PENDING),
        (ended.uid, frozenset(), GoalStatus.COMPLETED),
    ]
    # Another caller finds neither the goals of the type in that space nor the goals by their ids.
    assert [known.scope_id for known in (await look(other, wine.uid))[0]] == [other.home, other.home]
    assert (await look(other, wine.uid))[1] == []
