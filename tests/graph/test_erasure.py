"""What is known about a person is erased, and nothing of it is found anywhere."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.context.record import AssembleContext
from prefrontal.graph.cortex.actions.record import PendingActionUpsert, UpsertPendingActions
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.cortex.questions.record import QuestionDraft, StoryDraft, UpsertQuestionStory
from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.erasure import service, store
from prefrontal.graph.erasure.record import EraseUserData
from prefrontal.graph.errors import Conflict, Forbidden, Forgotten, InvalidInput, Unavailable
from prefrontal.graph.lessons.outcome_record import FeedbackDraft, OutcomeDraft, RecordOutcome
from prefrontal.graph.memory.record import Forget, MemoryDraft, MemoryKind, Remember, Supersede
from prefrontal.graph.scratch.record import (
    ObservationContext,
    ObservationDraft,
    Source,
    UpdateObservation,
)
from prefrontal.graph.sessions.checkpoint_record import CheckpointSession
from prefrontal.graph.sessions.record import (
    ActiveContextFilter,
    ItemContent,
    Salience,
    SessionContext,
    UpdateWorkingMemory,
    WorkingMemoryOperation,
)
from prefrontal.graph.tools.record import InvocationDraft, TrackToolInvocation
from prefrontal.graph.turns.commit_record import CommitStore, CommitTurn, StateDraft, StoreStatus
from prefrontal.graph.turns.record import TurnAction, TurnMemory, TurnObservation
from tests.support.failing import failing
from tests.support.world import World

MARK = "zyzzyva"
EVERYTHING = """MATCH (n) WHERE n.org_id = $org
RETURN n.uid AS uid, labels(n) AS labels, properties(n) AS properties,
  COLLECT { MATCH (n)-[r]->() RETURN properties(r) } AS links"""


async def places(world: World, text: str = MARK) -> list[str]:
    """Where a text is found: each label with the property."""
    found = []
    for row in await world.rows(EVERYTHING):
        for place, properties in [
            ("/".join(sorted(row["labels"])), row["properties"]),
            *(("link", link) for link in row["links"]),
        ]:
            found += [
                f"{place}.{name}" for name, value in properties.items() if text in repr(value).casefold()
            ]
    return sorted(set(found))


def marked(what: str) -> str:
    return f"{MARK} {what}"


async def remember(world: World, caller: Caller, *drafts: MemoryDraft, **fields: Any) -> list[str]:
    done = await world.services.memory.remember(caller, Remember(memories=drafts, **fields))
    return [memory.uid for memory in done.memories]


async def write_everything(world: World, ann: Caller) -> None:
    """Ann writes her word into every text of every kind of record in her own space."""
    services, turn = world.services, marked("turn")
    (note,) = await services.scratch.service.add(
        ann,
        [
            ObservationDraft(
                content=marked("noticed"),
                tags=(marked("tag"),),
                metadata={"why": marked("metadata")},
                source=Source(name=marked("source")),
                context=ObservationContext(user_id="ann"),
                client_key=marked("key"),
                entities=(EntityName(name=marked("entity")),),
            )
        ],
    )
    await services.scratch.service.change(
        ann, UpdateObservation(id=note.uid, content=marked("noticed better"), turn_id=turn)
    )
    goal = await services.goals.service.create(
        ann,
        CreateGoal(
            title=marked("goal"),
            description=marked("description"),
            constraints=(marked("constraint"),),
            evidence=(EvidenceDraft(observation_id=note.uid, note=marked("note")),),
            turn_id=turn,
        ),
    )
    action = PendingActionUpsert(
        goal_id=goal.uid,
        title=marked("action"),
        description=marked("how"),
        type="agent_task",
        metadata={"m": MARK},
    )
    await services.actions.upsert.upsert(ann, UpsertPendingActions(actions=(action,)))
    await services.questions.upsert.upsert(
        ann,
        UpsertQuestionStory(
            question=QuestionDraft(text=marked("question"), goal_id=goal.uid, tags=(marked("asked"),)),
            story=StoryDraft(narrative=marked("story")),
        ),
    )
    for kind in (MemoryKind.FACT, MemoryKind.EPISODE, MemoryKind.SKILL, MemoryKind.MANDATE):
        (uid,) = await remember(
            world,
            ann,
            MemoryDraft(kind=kind, content=marked(kind.value) + " long" * 900, tags=(marked("t"),)),
        )
    newer = MemoryDraft(kind=MemoryKind.MANDATE, content=marked("newer"))
    await services.memory.supersede(ann, Supersede(id=uid, memory=newer))
    (gone,) = await remember(world, ann, MemoryDraft(kind=MemoryKind.FACT, content=marked("forgotten")))
    await services.memory.forget(ann, Forget(id=gone))
    talk = [
        MemoryDraft(
            kind=MemoryKind.MESSAGE, content=marked(f"message {n}"), conversation=marked("c"), speaker="Ann"
        )
        for n in range(3)
    ]
    await remember(world, ann, *talk)
    for each in ("first", "second"):
        await services.sessions.update(
            ann,
            UpdateWorkingMemory(
                session_id=marked("session"),
                operation=WorkingMemoryOperation.ADD,
                content=ItemContent(
                    item_id=marked(each),
                    content=marked("held"),
                    entities=(marked("e"),),
                    source=marked("steward"),
                ),
                salience=Salience(relevance_score=1, urgency=1, contextual_importance=1),
                session_context=SessionContext(current_task=marked("task"), attention_focus=(MARK,)),
            ),
        )
    await services.access_log.batcher.flush()
    await services.session_checkpoints.keep(ann, CheckpointSession(session_id=marked("session")))
    await services.tools.track(
        ann,
        TrackToolInvocation(
            turn_id=turn, tool=marked("tool"), parameters={"q": MARK}, result={"long": MARK * 20_000}
        ),
    )
    await services.outcomes.record(
        ann,
        RecordOutcome(
            turn_id=turn,
            outcome=OutcomeDraft(success=True, result=marked("result")),
            feedback=FeedbackDraft(
                what_worked=marked("worked well with tea"), what_could_improve=marked("more")
            ),
        ),
    )
    await services.context.assemble(ann, AssembleContext(prompt=marked("prompt"), budget=1000, turn_id=turn))
    await commit(world, ann, turn)
    with failing(services, *CommitStore, times=4):
        done = await commit(world, ann, marked("failed"))
    assert {each.status for each in done.stores} == {StoreStatus.ESCALATED}


async def commit(world: World, caller: Caller, turn: str, **given: Any) -> Any:
    """Commit a turn whose every text has the word."""
    return await world.services.turns.finalization.commit(
        caller,
        CommitTurn(
            **{
                "turn_id": turn,
                "user_input": marked("asked in a turn"),
                "assistant_response": marked("answered in a turn"),
                "conversation": marked("talk"),
                "message_metadata": {"m": MARK},
                "events": [
                    StateDraft(content=marked("happened"), data={"d": MARK}, tags=[marked("e")], importance=1)
                ],
                "errors": [StateDraft(content=marked("went wrong"), tags=["user_data"])],
                "warnings": [marked("nearly")],
                "daemons_activated": [marked("daemon")],
                "outcome": OutcomeDraft(success=False, result=marked("ended")),
                "feedback": FeedbackDraft(what_could_improve=marked("failed with tea")),
                "tool_invocations": [
                    InvocationDraft(tool=marked("late"), parameters={"q": MARK}, result={"r": MARK}),
                    InvocationDraft(tool=marked("broken"), error=marked("no")),
                ],
                "observations": [TurnObservation(content=marked("noticed at the end"), confidence=0.95)],
                "memories": [TurnMemory(kind="mandate", content=marked("rule of a turn"))],
                "new_actions": [TurnAction(title=marked("to do"), type="agent_task")],
                **given,
            }
        ),
    )


async def write_about(world: World, bot: Caller) -> dict[str, str]:
    """An agent writes about Ann in its own space, and about somebody else; returns what has to stay."""
    services = world.services
    await services.scratch.service.add(
        bot, [ObservationDraft(content=marked("seen"), context=ObservationContext(user_id="Ann"))]
    )
    (about,) = await remember(
        world,
        bot,
        MemoryDraft(kind=MemoryKind.FACT, content=marked("her"), entities=(EntityName(name="Anna Kern"),)),
    )
    (derived,) = await remember(
        world, bot, MemoryDraft(kind=MemoryKind.FACT, content=marked("made"), derived_from=(about,))
    )
    await remember(
        world, bot, MemoryDraft(kind=MemoryKind.FACT, content=marked("made again"), derived_from=(derived,))
    )
    await services.goals.service.create(bot, CreateGoal(title=marked("for her"), user_id="ann"))
    (kept,) = await remember(
        world,
        bot,
        MemoryDraft(kind=MemoryKind.FACT, content="Ben drinks tea", entities=(EntityName(name="Ben"),)),
    )
    goal = await services.goals.service.create(bot, CreateGoal(title="buy tea", user_id="ben"))
    return {"fact": kept, "goal": goal.uid}


async def mia(world: World) -> Caller:
    return await world.caller(None, person="mia", roles=("writer", "maintainer"))


async def erase(world: World, caller: Caller, **fields: Any) -> int:
    command = EraseUserData(person="ann", names=("Anna Kern",), **fields)
    return (await world.services.erasure.erase(caller, command)).records


@pytest.mark.alone
@pytest.mark.covers("TURN-50..51")
async def test_nothing_that_was_written_by_or_about_a_person_is_found_anywhere(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    ann, bot = await world.caller(None, person="ann"), await world.caller()
    await write_everything(world, ann)
    kept = await write_about(world, bot)
    for job in ("link_included", "summarise_conversations"):
        await world.services.jobs.run_once(world.services.jobs.named[job])
    before = await places(world)
    assert len(before) > 60
    assert {place.split(".")[0].split("/")[-1] for place in before} > {"Version", "Turn", "Session", "link"}
    assert {"StateExport.body", "PendingCommit.payload", "Turn.summary"} < set(before)

    assert await erase(world, await mia(world)) > 20

    assert await places(world) == []
    assert await places(world, "anna kern") == []
    found = await world.services.memory.get(bot, [kept["fact"]])
    assert found[kept["fact"]].content == "Ben drinks tea"
    assert kept["goal"] in await world.services.goals.service.get(bot, [kept["goal"]])
    # The person may go on: it has its space, with nothing in it.
    assert (await world.caller(None, person="ann")).home == ann.home
    assert await erase(world, await mia(world)) == 0
    assert MARK.encode() not in world.services.metrics.text()
    assert MARK not in "".join(capsys.readouterr())


async def test_a_consumer_is_told_of_each_record_and_an_audit_entry_stays(world: World) -> None:
    bot = await world.caller()
    ann = await world.caller(None, person="ann")
    kept = await write_about(world, bot)
    (own,) = await remember(world, ann, MemoryDraft(kind=MemoryKind.FACT, content=marked("own")))
    await erase(world, await mia(world))
    events = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org}) WHERE e.type IN ['record.erased', 'person.erased'] "
        "RETURN e.type AS type, e.aggregate AS aggregate, e.scope_id AS scope, e.data AS data ORDER BY e.uid"
    )
    erased = [event for event in events if event["type"] == "record.erased"]
    prefixes = sorted(event["aggregate"].split("_")[0] for event in erased)
    assert prefixes == ["fact", "fact", "fact", "fact", "goal", "obs"]
    assert {event["scope"] for event in erased} == {ann.home, bot.home}
    assert own in {event["aggregate"] for event in erased}
    assert not {*kept.values()} & {event["aggregate"] for event in erased}
    (audit,) = (event for event in events if event["type"] == "person.erased")
    assert audit["aggregate"] == ann.actor_id
    assert json.loads(audit["data"]) == {"person_id": ann.actor_id, "count": 6}
    traces = await world.rows(
        "MATCH (t:TraceEvent {kind: 'person_erased'}) WHERE t.org_id = $org RETURN t.message AS m"
    )
    assert traces == [{"m": "Erased 6"}]


async def test_an_old_request_does_not_give_the_text_back(world: World) -> None:
    ann = await world.caller(None, person="ann")
    command = Remember(
        memories=(MemoryDraft(kind=MemoryKind.FACT, content=marked("once")),), idempotency_key="old"
    )
    await world.services.memory.remember(ann, command)
    await erase(world, ann)
    again = await world.services.memory.remember(ann, command)
    assert again.memories == ()
    with pytest.raises(Forgotten):
        await remember(world, ann, MemoryDraft(kind=MemoryKind.FACT, content=marked("once")))
    assert await places(world) == []


async def test_the_same_call_happens_once_and_a_used_key_erases_nothing(world: World) -> None:
    maintainer, bot = await mia(world), await world.caller()
    await write_about(world, bot)
    number = await erase(world, maintainer, idempotency_key="erase-1")
    assert number == 5
    assert await erase(world, maintainer, idempotency_key="erase-1") == 5
    before = await world.counts()
    with pytest.raises(Conflict):
        await world.services.erasure.erase(
            maintainer, EraseUserData(person="ben", names=("Ben",), idempotency_key="erase-1")
        )
    assert await world.counts() == before


async def test_an_interrupted_erasure_goes_on(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "_BATCH", 1)
    maintainer, bot = await mia(world), await world.caller()
    await write_about(world, bot)
    erases, calls = store.erase, []

    async def once(*arguments: Any) -> int:
        calls.append(1)
        if len(calls) == 2:
            raise Unavailable("the process is killed here")
        return await erases(*arguments)

    monkeypatch.setattr(store, "erase", once)
    with pytest.raises(Unavailable):
        await erase(world, maintainer, idempotency_key="erase-1")
    assert await places(world) != []
    assert not await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, type: 'person.erased'}) RETURN e.uid AS uid"
    )
    await erase(world, maintainer, idempotency_key="erase-1")
    assert await places(world) == []


async def test_only_a_maintainer_or_the_person_itself_may(world: World) -> None:
    ann, bot, acting = (
        await world.caller(None, person="ann"),
        await world.caller(),
        await world.caller("bot", person="ann"),
    )
    ben = await world.caller(None, person="ben")
    await write_about(world, bot)
    before = await world.counts()
    for caller in (bot, acting, ben):
        with pytest.raises(Forbidden):
            await erase(world, caller)
    with pytest.raises(InvalidInput, match="at most 50 names"):
        await world.services.erasure.erase(ann, EraseUserData(person="ann", names=("x",) * 51))
    assert await world.counts() == before
    assert await erase(world, ann) == 5


@pytest.mark.covers("TURN-51")
async def test_a_name_is_found_in_each_spelling_and_no_other_name_is(world: World) -> None:
    ann, bot = await world.caller(None, person="ann"), await world.caller()

    async def spoke(speaker: str, text: str) -> None:
        message = MemoryDraft(kind=MemoryKind.MESSAGE, content=text, conversation="c", speaker=speaker)
        await remember(world, bot, message)

    async def saw(user_id: str, text: str) -> None:
        draft = ObservationDraft(content=text, context=ObservationContext(user_id=user_id))
        await world.services.scratch.service.add(bot, [draft])

    for number, spelling in enumerate(("ANN", "Anna  KERN", "\uff21nna Kern", " ann ")):
        await spoke(spelling, marked(f"spoken {number}"))
        await saw(spelling, marked(f"seen {number}"))
    await saw(ann.actor_id, marked("seen by its id"))
    for other in ("Anna", "Kern", "Anna Kernel"):
        await spoke(other, f"spoken by {other}")
        await saw(other, f"seen of {other}")

    assert await erase(world, await mia(world)) == 9

    assert await places(world) == []
    rows = await world.rows("MATCH (n:Memory {org_id: $org}) RETURN n.content AS text ORDER BY text")
    assert [row["text"] for row in rows] == [
        *(f"seen of {other}" for other in ("Anna", "Anna Kernel", "Kern")),
        *(f"spoken by {other}" for other in ("Anna", "Anna Kernel", "Kern")),
    ]


async def test_another_organisation_keeps_what_it_knows_of_a_person_of_that_name(world: World) -> None:
    await world.services.access.create_organisation(f"{world.org}-other")
    principal = world.principal("bot").model_copy(update={"org": f"{world.org}-other"})
    other = await world.services.access.caller(principal)
    (fact,) = await remember(
        world, other, MemoryDraft(kind=MemoryKind.FACT, content="Ann", entities=(EntityName(name="Ann"),))
    )
    await erase(world, await mia(world))
    assert fact in await world.services.memory.get(other, [fact])


async def test_who_holds_an_erased_memory_in_a_session_holds_one_item_less(world: World) -> None:
    bot = await world.caller()
    (about,) = await remember(
        world,
        bot,
        MemoryDraft(kind=MemoryKind.FACT, content=marked("held"), entities=(EntityName(name="Ann"),)),
    )
    for item in (
        ItemContent(item_id=about, entities=(marked("e"),)),
        ItemContent(item_id="tea", content="tea"),
    ):
        await world.services.sessions.update(
            bot,
            UpdateWorkingMemory(
                session_id="now",
                operation=WorkingMemoryOperation.ADD,
                content=item,
                salience=Salience(relevance_score=1, urgency=1, contextual_importance=1),
            ),
        )
    await erase(world, await mia(world))
    assert await places(world) == []
    held = await world.services.sessions.active_context(bot, "now", ActiveContextFilter())
    assert held is not None
    assert [item.item_id for item in held.items] == ["tea"]
    rows = await world.rows("MATCH (s:Session {org_id: $org}) RETURN s.items AS items")
    assert rows == [{"items": 1}]


@pytest.mark.covers("TURN-51")
async def test_a_turn_of_an_agent_loses_what_it_said_about_the_person_and_keeps_the_rest(
    world: World,
) -> None:
    bot = await world.caller()
    about = {"content": marked("seen"), "context": ObservationContext(user_id="Ann")}
    told = {
        "user_input": "How is the sea?",
        "assistant_response": "Calm",
        "outcome": None,
        "feedback": None,
        "message_metadata": None,
        "conversation": None,
        "events": [StateDraft(content="Low tide", importance=1)],
        "errors": [],
        "warnings": [],
        "daemons_activated": [],
        "tool_invocations": [],
        "memories": [],
        "new_actions": [TurnAction(title="Row", type="agent_task")],
    }
    done = await commit(world, bot, "t", **told | {"observations": [TurnObservation(**about, confidence=1)]})
    plain = await commit(world, bot, "u", **told | {"observations": []})
    with failing(world.services, CommitStore.SCRATCH_PAGE, times=4):
        late = await commit(
            world,
            bot,
            "v",
            **told
            | {
                "observations": [
                    TurnObservation(**about, key="hers"),
                    TurnObservation(content="The fan is broken"),
                ]
            },
        )

    assert await erase(world, await mia(world)) > 0

    assert await places(world) == []
    exports = await world.services.turns.trace.exports(bot, [done.export_id, plain.export_id, late.export_id])
    assert plain.export_id in exports
    assert done.export_id not in exports
    rows = await world.rows("MATCH (t:Turn {org_id: $org}) RETURN t.key AS key, t.summary AS summary")
    summaries = {row["key"]: row["summary"] for row in rows}
    assert (summaries["t"], summaries["u"]) == (None, plain.turn.summary)
    events = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, type: 'record.erased', aggregate: $uid}) RETURN e.data AS data",
        uid=done.export_id,
    )
    assert [json.loads(event["data"]) for event in events] == [{"record_id": done.export_id}]
    # What is not about the person is still committed.
    world.clock.advance(seconds=1)
    await commit(world, bot, "w", **told | {"observations": []})
    rows = await world.rows("MATCH (o:Observation {org_id: $org}) RETURN o.content AS text ORDER BY text")
    assert rows == [{"text": "The fan is broken"}]
    assert await places(world) == []
