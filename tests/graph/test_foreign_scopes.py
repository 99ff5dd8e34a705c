"""What an old import left in the space of another organisation: nobody there is shown it, and it is found."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.context.record import AssembleContext, Request
from prefrontal.graph.cortex.actions.record import PendingActionUpsert, UpsertPendingActions
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.cortex.questions.record import QuestionDraft, StoryDraft, UpsertQuestionStory
from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.errors import NotFound
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember, StepCondition
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.search.record import PLANS, SearchFilter, SearchKind
from prefrontal.graph.sessions.record import (
    ItemContent,
    Salience,
    StartSession,
    UpdateWorkingMemory,
    WorkingMemoryOperation,
)
from prefrontal.graph.storage import scopes
from prefrontal.graph.storage.queries import Mode, Scope
from tests.support.world import World

pytestmark = pytest.mark.alone

PROMPT = "Which tea does Ann drink from the kettle?"


async def with_everything(world: World, caller: Caller) -> None:
    """Something of each kind that contexts show, and a context of it in a turn."""
    services = world.services
    memories = [
        MemoryDraft(
            kind=MemoryKind.MANDATE,
            content="Never heat the kettle",
            forbids=StepCondition(phrases=("heat the kettle",)),
        ),
        MemoryDraft(kind=MemoryKind.CAPABILITY, content="Can boil tea"),
        MemoryDraft(kind=MemoryKind.FACT, content="Ann drinks green tea", entities=(EntityName(name="Ann"),)),
        MemoryDraft(kind=MemoryKind.SKILL, content="Pour the tea slowly. " * 100),
        MemoryDraft(
            kind=MemoryKind.MESSAGE, content="The kettle is full of tea", speaker="ann", conversation="tea"
        ),
    ]
    await services.memory.remember(caller, Remember(memories=memories))
    seen, other = await services.scratch.service.add(
        caller,
        [
            ObservationDraft(content="the kettle boils", entities=(EntityName(name="Ann"),)),
            ObservationDraft(content="the tea is cold"),
        ],
    )
    await services.scratch.service.add(
        caller, [ObservationDraft(content="the tea is hot", contradicts=(other.uid,))]
    )
    goal = await services.goals.service.create(
        caller,
        CreateGoal(title="Make tea", priority="high", evidence=(EvidenceDraft(observation_id=seen.uid),)),
    )
    await services.actions.upsert.upsert(
        caller,
        UpsertPendingActions(actions=[PendingActionUpsert(title="Fill the kettle", goal_id=goal.uid)]),
    )
    await services.questions.upsert.upsert(
        caller,
        UpsertQuestionStory(
            question=QuestionDraft(text="Which tea?", goal_id=goal.uid),
            story=StoryDraft(narrative="Green tea"),
        ),
    )
    session = await services.sessions.start(caller, StartSession(key="tea", task="tea"))
    await services.sessions.update(
        caller,
        UpdateWorkingMemory(
            session_id=session.uid,
            operation=WorkingMemoryOperation.ADD,
            content=ItemContent(item_id=seen.uid),
            salience=Salience(relevance_score=1, urgency=1),
        ),
    )
    context = await services.context.assemble(
        caller, AssembleContext(prompt=PROMPT, budget=5000, turn_id="tea", session_id="tea")
    )
    assert len({item.kind for item in context.selection.items}) > 7
    ranking = await services.search.ranked(caller, PROMPT, world.clock.now(), beside=tuple(PLANS))
    assert ranking.rows
    assert ranking.plans


async def moved(world: World, source: str, target: str) -> None:
    """Everything of a space is in another one, as far as its own properties say."""
    await world.rows(
        "MATCH (n {org_id: $org, scope_id: $source}) WHERE n.home_id IS NULL AND NOT n:Space "
        "SET n.scope_id = $target "
        "SET n.searchable_in = CASE WHEN n.searchable_in IS NOT NULL THEN $target END",
        source=source,
        target=target,
    )
    await world.rows(
        "MATCH ({org_id: $org})-[r]->() WHERE r.scope_id = $source SET r.scope_id = $target",
        source=source,
        target=target,
    )


@pytest.fixture
async def victim(world: World) -> Caller:
    """A caller of another organisation whose space has everything of the world's organisation."""
    caller = await world.caller()
    await with_everything(world, caller)
    other = f"{world.org}-other"
    await world.services.access.create_organisation(other)
    victim = await world.services.access.caller(world.principal().model_copy(update={"org": other}))
    await moved(world, caller.home, victim.home)
    return victim


@pytest.mark.covers("SEC-12")
async def test_a_context_shows_nothing_of_another_organisation_whatever_its_space_says(
    world: World, victim: Caller
) -> None:
    services = world.services
    request = Request(prompt=PROMPT, budget=5000)

    context = await services.context.preview(victim, request)

    assert [(item.kind.value, item.text) for item in context.selection.items] == []
    assert context.selection.excluded == ()
    assert (context.selection.over_limit, context.selection.missing_mandates) == (0, ())
    for kinds in (None, tuple(SearchKind)):
        found = await services.search.search(victim, PROMPT, SearchFilter(kinds=kinds, min_relevance=0))
        assert found.items == ()
    mandates = await services.database.read(lambda tx: services.memory.mandates_in(tx, victim, victim.home))
    assert mandates == []
    goal = await services.goals.service.create(victim, CreateGoal(title="Heat the kettle"))
    assert goal.violates == ()
    with pytest.raises(NotFound):
        await services.context.preview(victim, request.model_copy(update={"session_id": "tea"}))
    with pytest.raises(NotFound):
        await services.context.receipt(victim, "tea")


async def test_whatever_a_context_reads_asks_for_the_organisation(world: World) -> None:
    caller, services = await world.caller(), world.services
    await with_everything(world, caller)
    key, seen = "again", {"skip_seen": True, "session_id": "tea", "turn_id": "tea"}
    command = AssembleContext(prompt=PROMPT, budget=5000, idempotency_key=key, **seen)
    world.statements.clear()

    first = await services.context.assemble(caller, command)
    again = await services.context.assemble(caller, command)
    await services.database.read(lambda tx: services.memory.mandates_in(tx, caller, caller.home))

    assert again.receipt.uid == first.receipt.uid
    read = {
        name
        for name in world.statements.names
        if (query := services.database.queries[name]).mode is Mode.READ and query.scope is Scope.CALLER
    }
    assert read >= {
        "context/find_receipt", "context/find_seen", "context/read_candidates", "context/read_conflicts",
        "context/read_included", "context/read_steps", "memory/list_mandates", "search/find_names",
        "search/search_memory", "search/search_plans", "sessions/read_contents",
    }  # fmt: skip
    assert {name for name in read if "org_id" not in services.database.queries[name].params} == set()


async def found(world: World, **given: Any) -> list[tuple[str, str | None, str]]:
    report = await world.services.scopes.check(**given)
    assert report.number == len(report.strays)
    return sorted((each.uid[: each.uid.index("_")], each.link, each.field) for each in report.strays)


async def test_what_is_in_the_space_of_others_is_found(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scopes, "_BATCH", 7)
    monkeypatch.setattr(scopes, "_MOST", 500)
    caller = await world.caller()
    await with_everything(world, caller)
    other = await world.services.access.create_organisation(f"{world.org}-other")
    (space,) = await world.rows("MATCH (s:Space {org_id: $other}) RETURN s.uid AS uid", other=other)
    assert await found(world, org_id=world.org_id) == []

    for change, expected in (
        ("MATCH (n:Mandate {org_id: $org}) SET n.scope_id = $space", [("man", None, "scope_id")]),
        ("MATCH (n:Fact {org_id: $org}) SET n.searchable_in = $space", [("fact", None, "searchable_in")]),
        ("MATCH (n:Agent {org_id: $org}) SET n.home_id = $space", [("agt", None, "home_id")]),
        ("MATCH (n:Agent {org_id: $org}) SET n.home_id = $org", [("agt", None, "home_id")]),
        ("MATCH (n:Goal {org_id: $org}) REMOVE n.scope_id", [("goal", None, "scope_id")]),
        ("MATCH (n:Goal {org_id: $org}) SET n.scope_id = n.uid", [("goal", None, "scope_id")]),
        (
            "MATCH (n:Session {org_id: $org})-[r:HOLDS]->() SET r.scope_id = $space",
            [("ses", "HOLDS", "scope_id")],
        ),
        (
            "MATCH (n:Goal {org_id: $org}), (s:Space {uid: $space}) MERGE (n)-[:MAY]->(s)",
            [("goal", "MAY", "org_id")],
        ),
    ):
        before = await world.rows(
            "MATCH (n {org_id: $org}) OPTIONAL MATCH (n)-[r]->() "
            "RETURN elementId(n) AS n, properties(n) AS ns, elementId(r) AS r, properties(r) AS rs"
        )
        await world.rows(change, space=space["uid"])
        assert await found(world, org_id=world.org_id) == expected, change
        await world.rows("MATCH ({org_id: $org})-[r:MAY]->({org_id: $other}) DELETE r", other=other)
        await world.rows(
            "UNWIND $rows AS row MATCH (n) WHERE elementId(n) = row.n SET n = row.ns WITH row "
            "MATCH ()-[r]->() WHERE elementId(r) = row.r SET r = row.rs",
            rows=before,
        )
    assert await found(world, org_id=world.org_id) == []


async def test_the_whole_store_is_checked_with_its_progress(
    world: World, monkeypatch: pytest.MonkeyPatch, victim: Caller
) -> None:
    monkeypatch.setattr(scopes, "_BATCH", 50)
    await world.rows("CREATE (:Importing {uid: 'obs_1', org_id: 'org_1', scope_id: 'spc_1'})")
    steps: list[tuple[int, int]] = []

    report = await world.services.scopes.check(progress=lambda done, total, _: steps.append((done, total)))

    await world.rows("MATCH (n:Importing {org_id: 'org_1'}) DELETE n")
    assert {each.org_id for each in report.strays} == {world.org_id}
    assert {each.value for each in report.strays} == {victim.home}
    assert report.number > len(report.strays) == 20
    assert [done for done, _ in steps] == [*range(50, report.nodes, 50), report.nodes]
    assert "and " in str(report)
    assert victim.home in str(report)
