"""What the use cases really write is what the node classes declare, and the other way round.

Many statements take whole maps (`SET o = row.properties`), which no reading of their text can check.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess, RevokeAccess
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.caller import Actor, ActorKind, Caller, SpacePermission
from prefrontal.graph.context.record import AssembleContext
from prefrontal.graph.cortex.actions.record import (
    ActionOwner,
    CompletePendingAction,
    ConfirmPendingAction,
    PendingActionDraft,
    PendingActionUpsert,
    UpsertPendingActions,
)
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    EvidenceDraft,
    GoalStatus,
    Horizon,
    HorizonUnit,
    LinkObservation,
    Milestone,
    ShareGoal,
    TransitionGoal,
    UnlinkObservation,
    UnshareGoal,
    UpdateEvidence,
    UpsertGoal,
)
from prefrontal.graph.cortex.questions.record import (
    ArchiveQuestion,
    QuestionDraft,
    StoryDraft,
    UpsertQuestionStory,
)
from prefrontal.graph.embedding.embeddings import Embeddings
from prefrontal.graph.embedding.rules import StoredText
from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.evaluation.record import EvaluateScratchPage
from prefrontal.graph.jobs.escalation import AwaitEvents, EscalateActions
from prefrontal.graph.jobs.periodic import ExpireObservations
from prefrontal.graph.lessons.outcome_record import FeedbackDraft, OutcomeDraft, RecordOutcome
from prefrontal.graph.lessons.record import RetireLesson
from prefrontal.graph.memory.record import (
    STORED_KINDS,
    Forget,
    MemoryDraft,
    MemoryKind,
    Remember,
    StepCondition,
    Supersede,
)
from prefrontal.graph.outbox import store as outbox_store
from prefrontal.graph.outbox.record import AcknowledgeEvents
from prefrontal.graph.outbox.rules import Progress
from prefrontal.graph.registry.overrides.record import ActionTypeDraft, RegisterActionType
from prefrontal.graph.registry.proposals.record import (
    ExportProposalAsPr,
    ProposalType,
    ReviewDecision,
    ReviewRegistryProposal,
    SubmitRegistryProposal,
    WithdrawRegistryProposal,
)
from prefrontal.graph.scratch.record import (
    ObservationContext,
    ObservationDraft,
    Source,
    SourceKind,
    UpdateObservation,
)
from prefrontal.graph.sessions.checkpoint_record import CheckpointSession
from prefrontal.graph.sessions.record import (
    ActiveContextFilter,
    EndSession,
    ItemContent,
    LinkSessions,
    Salience,
    SessionContext,
    StartSession,
    UpdateWorkingMemory,
    WorkingMemoryOperation,
)
from prefrontal.graph.storage.schema_of_nodes import (
    DeclaredProperty,
    NodeSchema,
    declared_schema,
    node_classes,
)
from prefrontal.graph.storage.unit_of_work import Tx
from prefrontal.graph.text.encoder import HashEncoder
from prefrontal.graph.text.terms import VERSION
from prefrontal.graph.tools.record import TrackToolInvocation
from prefrontal.graph.turns.commit_record import CommitStore, CommitTurn, StateDraft
from prefrontal.graph.turns.record import CommitAtTurnEnd, StartTurn
from tests.support.cardinality import STATES, edges_in, undeclared, violations
from tests.support.failing import failing
from tests.support.gitting import git, registry_repository
from tests.support.integrity import Graph, rows_of, turns_of
from tests.support.learning import call, learn, prepared
from tests.support.world import World

pytestmark = pytest.mark.alone

# Queries read these already; what gives the reason of a link is not written yet.
DECLARED_AHEAD = {
    ("CHILD_OF", "reason"),
    ("DERIVED_FROM", "reason"),
}

# Deleted by the transaction that creates them, so that nobody ever reads one; `texts` of each space stays.
# What is being imported has its own labels at the end.
TRANSIENT = {"Importing", "KeyLock"}


async def summarise(world: World) -> None:
    world.clock.advance(days=31)
    await world.services.summaries.compact(world.org)
    bot = await world.caller(person="ann", device="phone")
    table = world.services.catalog.summaries
    said = [
        MemoryDraft(kind=MemoryKind.MESSAGE, content=f"Cup {number}", speaker="ann", conversation="cups")
        for number in range(table.conversation_every + table.conversation_newest)
    ]
    await world.services.memory.remember(bot, Remember(memories=said))
    await world.services.jobs.run_once(world.services.jobs.named["summarise_conversations"])
    await world.services.context.assemble(bot, AssembleContext(prompt="cups?", budget=9000, turn_id="turn-3"))


async def shared_space(world: World) -> str:
    """A space that another agent could read for a while."""
    access = world.services.access
    bot, other = await world.caller(person="ann", device="phone"), Actor(kind=ActorKind.AGENT, key="other")
    await world.caller("other")
    space = await access.create_space(bot, CreateSpace(name="shared"))
    bot = await world.caller(person="ann", device="phone")
    await access.grant_access(bot, GrantAccess(space=space, actor=other, permission=SpacePermission.READ))
    await access.revoke_access(bot, RevokeAccess(space=space, actor=other))
    return space


async def remember_every_kind(world: World, bot: Caller) -> None:
    """Use every use case of durable memories, with every optional field given."""
    memory = world.services.memory

    def draft(kind: MemoryKind, content: str, **fields: Any) -> MemoryDraft:
        said: dict[str, Any] = {}
        if kind is MemoryKind.MESSAGE:
            said = {"speaker": "ann", "conversation": "chat"}
        if kind is MemoryKind.MANDATE:
            steps = StepCondition(phrases=("pour cold water",))
            said = {"forbids": steps, "requires_confirmation": steps}
        return MemoryDraft(
            kind=kind,
            content=content,
            confidence=0.9,
            tags=("Tea",),
            entities=(EntityName(name="Kettle", kind="thing"),),
            metadata={"celsius": 100},
            **said,
            **fields,
        )

    drafts = [draft(kind, f"{kind} of tea") for kind in STORED_KINDS]
    first = (await memory.remember(bot, Remember(memories=drafts))).memories
    drafts = [
        draft(kind, f"{kind} of it", derived_from=(one.uid,), client_key=kind.value)
        for kind, one in zip(STORED_KINDS, first, strict=True)
    ]
    for kind, one in zip(
        STORED_KINDS, (await memory.remember(bot, Remember(memories=drafts))).memories, strict=True
    ):
        await memory.supersede(bot, Supersede(id=one.uid, memory=draft(kind, f"newer {kind}")))
    await memory.remember(bot, Remember(memories=[draft(MemoryKind.MESSAGE, "The kettle boils. " * 100)]))
    gone = await memory.remember(bot, Remember(memories=[draft(MemoryKind.FACT, "gone")]))
    await memory.forget(bot, Forget(id=gone.memories[0].uid))


class _Other(HashEncoder):
    name = "other"


async def a_fact(world: World) -> str:
    fact = MemoryDraft(kind=MemoryKind.FACT, content="A pot has four cups")
    bot = await world.caller(person="ann", device="phone")
    return (await world.services.memory.remember(bot, Remember(memories=(fact,)))).memories[0].uid


async def session_with_everything(world: World, memory: str) -> None:
    """A session that held a memory and a text, with every optional field given, and lets go of both."""
    sessions, bot = world.services.sessions, await world.caller(person="ann", device="phone")
    session = await sessions.start(bot, StartSession(task="tea", focus=("cups",), max_capacity=1))
    for item_id, text in (("text", "The cup is full of tea"), (memory, None)):
        await sessions.update(
            bot,
            UpdateWorkingMemory(
                session_id=session.uid,
                operation=WorkingMemoryOperation.ADD,
                content=ItemContent(
                    item_id=item_id, content=text, entities=("cup",), source="steward", confidence=0.9
                ),
                salience=Salience(relevance_score=1, urgency=1, contextual_importance=0.5),
                session_context=SessionContext(conversation_turn=1, active_duration_minutes=2),
                turn_id="turn-1",
            ),
        )
    await sessions.end(bot, EndSession(id=session.uid))
    await sessions.update(
        bot,
        UpdateWorkingMemory(
            session_id="goes on",
            operation=WorkingMemoryOperation.ADD,
            content=ItemContent(item_id="cup", content="A cup of tea", pinned=True, source="steward"),
            salience=Salience(contextual_importance=0.5),
            session_context=SessionContext(current_task="tea"),
        ),
    )
    await world.services.session_checkpoints.keep(bot, CheckpointSession(session_id="goes on"))
    # One that is refused has a problem.
    assert await sessions.active_context(bot, "unknown", ActiveContextFilter()) is None
    await world.services.access_log.batcher.flush()


async def relate(world: World) -> None:
    """A session that is related to an earlier one, which held evidence of a goal."""
    sessions, bot = world.services.sessions, await world.caller(person="ann", device="phone")
    await world.services.session_bridging.link(bot, LinkSessions(across_devices=True))
    (evidence,) = await world.rows(
        "MATCH (o:Observation {org_id: $org})-[e:EVIDENCES]->(:Goal) WHERE e.until IS NULL AND o.live "
        "RETURN o.uid AS uid ORDER BY uid LIMIT 1"
    )
    for _ in range(2):
        session = await sessions.start(bot, StartSession(task="tea", focus=("cups",)))
        await sessions.update(
            bot,
            UpdateWorkingMemory(
                session_id=session.uid,
                operation=WorkingMemoryOperation.ADD,
                content=ItemContent(item_id=evidence["uid"], entities=("cups",)),
                salience=Salience(relevance_score=1, urgency=1),
            ),
        )
        world.clock.advance(minutes=1)
        await world.services.jobs.run_once(world.services.jobs.named["correlate_sessions"])
        await sessions.end(bot, EndSession(id=session.uid))


async def use_tools(world: World, bot: Caller, goal: str) -> None:
    """Call a tool twice in a turn, once with a long result, and record the outcome of the turn."""
    for result in ({"celsius": 100}, {"text": "hot " * 10_000}):
        await world.services.tools.track(
            bot,
            TrackToolInvocation(
                turn_id="turn-1",
                tool="thermometer",
                parameters={"room": "kitchen"},
                result=result,
                error="too hot",
                execution_time_ms=5,
                goal_id=goal,
                client_key=f"call-{len(str(result))}",
                observations=(ObservationDraft(content=f"The kitchen is hot: {len(str(result))}"),),
            ),
        )
    await world.services.outcomes.record(
        bot,
        RecordOutcome(
            turn_id="turn-1",
            outcome=OutcomeDraft(success=True, result="It boils", user_satisfaction="high"),
            feedback=FeedbackDraft(what_worked="The thermometer", what_could_improve="It took long"),
            client_key="outcome-1",
        ),
    )
    await learn_lessons(world, bot)
    await commit_turns(world, bot, goal)


async def commit_turns(world: World, bot: Caller, goal: str) -> None:
    """Commit a turn whole, and another one of which a part fails."""
    given = {"user_input": "Is it hot?", "assistant_response": "Yes"}
    event = StateDraft(content="It boiled", importance=0.9, tags=("tea",), goal_id=goal)
    finalization = world.services.turns.finalization
    await finalization.commit(bot, CommitTurn(turn_id="turn-1", events=(event,), **given))
    with failing(world.services, CommitStore.CONVERSATION, times=9):
        await finalization.commit(bot, CommitTurn(turn_id="turn-9", **given))


async def learn_lessons(world: World, bot: Caller) -> None:
    """Learn a lesson, confirm it and contradict it, each by an outcome; retire what contradicts it."""
    for number, said in enumerate(("what_worked", "what_worked", "what_could_improve")):
        outcome = OutcomeDraft(success=True)
        done = await world.services.outcomes.record(
            bot, RecordOutcome(turn_id="turn-1", outcome=outcome, client_key=f"lesson-{number}")
        )
        uid = done.outcome.uid
        calls = call("kettle", "rate limit", room="Kitchen"), call("stove")
        ready = await prepared(world, bot, uid, *calls, **{said: "Water first"})
        result = await learn(world, bot, uid, ready, "turn-1")
    for lesson in result["lessons"]:
        await world.services.lessons.retire(bot, RetireLesson(id=lesson, reason="old", turn_id="turn-1"))


async def begin_other_vectors(world: World) -> None:
    """Begin to replace the stored vectors by those of another encoder, and remember something with each."""
    database, caller = world.services.database, await world.caller()
    other = build_services(world.services.settings, database.driver, clock=world.clock, encoder=_Other())

    async def begin(tx: Tx) -> None:
        await tx.execute("embedding/begin_filling", encoder="other")
        await tx.execute("embedding/save_cursor", after="obs_")

    await database.write(begin)
    drafts = [MemoryDraft(kind=MemoryKind.FACT, content="Water boils")]
    await other.memory.remember(caller, Remember(memories=drafts))


async def embed_plans(world: World) -> None:
    """Store a question and a story, and the vectors of all goals, questions and stories in both slots."""
    pair = UpsertQuestionStory(
        question=QuestionDraft(text="Which tea?"), story=StoryDraft(narrative="Green tea")
    )
    await world.services.questions.upsert.upsert(await world.caller(), pair)
    database = world.services.database
    other = build_services(world.services.settings, database.driver, clock=world.clock, encoder=_Other())
    rows = await world.rows(
        "MATCH (n:Goal|Question|Story {org_id: $org}) "
        "RETURN n.uid AS uid, n.content AS content ORDER BY n.uid"
    )
    texts = [StoredText(row["uid"], row["content"], None) for row in rows]
    for services in (world.services, other):
        encoder = Embeddings(services.encoder, 1.0)
        vectors = await encoder.later([text.passage for text in texts])
        await database.write(partial(services.embedding.write_in, texts=texts, vectors=vectors))
    # As an earlier version of the service left them; the walk has begun.
    await world.rows("MATCH (s:Embedding) SET s.terms = 0")
    await database.write(partial(world.services.embedding.renew_terms, limit=1))


@pytest.fixture
async def first_slot(world: World) -> AsyncIterator[None]:
    """Let other tests find the slots of vectors as they were."""
    yield
    await world.rows(
        f"MATCH (s:Embedding) SET s.serving = 'a', s.a = 'hash', s.terms = {VERSION} "
        "REMOVE s.b, s.after, s.terms_after "
        "WITH s MATCH (m:Memory {org_id: $org}) DETACH DELETE m"
    )


async def write_one_of_everything(world: World) -> None:
    """Use every use case that writes, with every optional field given."""
    services, space = world.services, await shared_space(world)
    bot = await world.caller(person="ann", device="phone")
    now = world.clock.now()
    await begin_other_vectors(world)
    await session_with_everything(world, await a_fact(world))
    observations = await services.scratch.service.add(
        bot,
        [
            ObservationDraft(
                content="the kettle boils",
                tags=("Tea",),
                source=Source(kind=SourceKind.TOOL, name="sensor", turn_id="turn-1", timestamp=now),
                context=ObservationContext(goal_id="goal_x", goal_key="tea", user_id="ann"),
                ttl_minutes=5,
                metadata={"celsius": 100},
                client_key="kettle-1",
                entities=(EntityName(name="Kettle", kind="thing"),),
            ),
            ObservationDraft(content="the cup is empty"),
        ],
        idempotency_key="add-1",
    )
    (full,) = await services.scratch.service.add(
        bot, [ObservationDraft(content="the cup is not empty", contradicts=(observations[0].uid,))]
    )
    await services.scratch.service.change(bot, UpdateObservation(id=full.uid, content="the cup is full"))
    await services.evaluation.review(bot, EvaluateScratchPage())
    parent = await services.goals.service.create(bot, CreateGoal(title="Be awake"))
    linked = EvidenceDraft(observation_id=observations[1].uid, note="so it is")
    await services.goals.evidence.link(
        bot, LinkObservation(goal_id=parent.uid, **dict(linked), turn_id="turn-1")
    )
    await services.goals.evidence.update(
        bot, UpdateEvidence(goal_id=parent.uid, observation_id=linked.observation_id, confidence=0.5)
    )
    await services.goals.evidence.unlink(
        bot, UnlinkObservation(goal_id=parent.uid, observation_id=linked.observation_id)
    )
    for uid in (observations[0].uid, full.uid):
        await services.goals.evidence.link(bot, LinkObservation(goal_id=parent.uid, observation_id=uid))
    child = await services.goals.service.create(
        bot,
        CreateGoal(
            title="Make tea",
            description="A pot of it",
            goal_type="household",
            user_id="ann",
            horizon=Horizon(value=1, unit=HorizonUnit.DAYS),
            metrics={"cups": 2},
            constraints=("no milk",),
            milestones=(Milestone(title="water", reached_at=now),),
            parent_goal_id=parent.uid,
            derived_from=(parent.uid,),
            evidence=(EvidenceDraft(observation_id=observations[1].uid, note="says so"),),
            pending_actions=(
                PendingActionDraft(
                    type="agent_task",
                    title="Boil water",
                    description="In the kettle",
                    owner=ActionOwner.AGENT,
                    effort=1.5,
                    due_at=now,
                    metadata={"room": "kitchen"},
                ),
            ),
            turn_id="turn-1",
        ),
    )
    await services.goals.transitions.transition(
        bot, TransitionGoal(id=parent.uid, status=GoalStatus.COMPLETED, reason="slept well")
    )
    (boiled,) = (await services.actions.service.of_goals(bot, [child.uid]))[child.uid]
    await services.actions.upsert.upsert(
        bot,
        UpsertPendingActions(
            actions=[
                PendingActionUpsert(
                    type="decision",
                    title="Which tea",
                    client_key="which",
                    metadata={"options": ["green", "black"]},
                ),
                PendingActionUpsert(
                    id=boiled.uid, evidence_refs=("log-1", observations[1].uid), result={"celsius": 100}
                ),
            ],
            turn_id="turn-1",
        ),
    )
    await services.access.grant_access(
        bot,
        GrantAccess(
            space=space, actor=Actor(kind=ActorKind.PERSON, key="ann"), permission=SpacePermission.WRITE
        ),
    )
    ann = await world.caller(None, person="ann")
    (asked,) = await services.actions.upsert.upsert(
        ann, UpsertPendingActions(actions=[PendingActionUpsert(title="Taste")], space=space)
    )
    assert asked.action
    await services.actions.transitions.confirm(ann, ConfirmPendingAction(id=asked.action.uid))
    await services.actions.transitions.complete(
        ann, CompletePendingAction(id=asked.action.uid, result={"taste": "good"})
    )
    upsert = services.goals.upsert.upsert
    await upsert(bot, UpsertGoal(title="Drink tea", client_key="drink", idempotency_key="drink-1"))
    await services.goals.sharing.share(
        bot,
        ShareGoal(
            goal_id=parent.uid,
            actor=Actor(kind=ActorKind.AGENT, key="other"),
            permission=SpacePermission.READ,
        ),
    )
    await services.goals.sharing.unshare(
        bot, UnshareGoal(goal_id=parent.uid, actor=Actor(kind=ActorKind.AGENT, key="other"))
    )
    await upsert(bot, UpsertGoal(parent_goal_id=None, derived_from=(), id=child.uid))
    pair = await services.questions.upsert.upsert(
        bot,
        UpsertQuestionStory(
            question=QuestionDraft(
                client_key="how",
                text="How hot?",
                goal_id=child.uid,
                owner=ActionOwner.USER,
                tags=("Tea",),
                priority="high",
            ),
            story=StoryDraft(
                client_key="hot",
                narrative="Boiling",
                acceptance_criteria=("it steams",),
                evidence_refs=(observations[1].uid, "a book"),
            ),
            turn_id="turn-1",
        ),
    )
    await services.questions.upsert.upsert(
        bot, UpsertQuestionStory(question=QuestionDraft(id=pair.question.uid, goal_id=parent.uid, tags=None))
    )
    await services.context.assemble(bot, AssembleContext(prompt="How hot?", budget=1000, turn_id="turn-1"))
    await services.questions.transitions.archive_question(
        bot, ArchiveQuestion(id=pair.question.uid, reason="drunk", turn_id="turn-1")
    )
    await use_tools(world, bot, child.uid)
    await propose_something(world, bot)
    await remember_every_kind(world, bot)
    await services.context.assemble(bot, AssembleContext(prompt="tea?", budget=1000, turn_id="turn-1"))
    await services.actions.upsert.upsert(
        bot,
        UpsertPendingActions(
            actions=[
                PendingActionUpsert(
                    type="follow_up",
                    title="And then",
                    metadata={"event": {"type": "goal.transitioned", "id": child.uid}},
                ),
                PendingActionUpsert(type="reminder", title="Late", due_at=now),
            ]
        ),
    )
    maintainer = await world.caller(roles=("maintainer",))
    survey = services.registry.files["research"].model_dump() | {"id": "survey"}
    await services.registry.overrides.register(
        maintainer,
        RegisterActionType(definition=ActionTypeDraft(keys=survey), approved=True, turn_id="turn-1"),
    )
    await services.registry.overrides.register(
        maintainer, RegisterActionType(definition=ActionTypeDraft(keys=survey | {"description": "Ask them"}))
    )
    world.clock.advance(minutes=6)
    await services.goals.transitions.transition(
        bot, TransitionGoal(id=child.uid, status=GoalStatus.IN_PROGRESS)
    )
    await services.jobs.run_once(ExpireObservations(services.catalog))
    await services.jobs.run_once(
        EscalateActions(services.catalog, services.registry.files, services.questions.upsert)
    )
    await services.jobs.run_once(AwaitEvents(services.catalog, services.registry.files))
    await services.actions.upsert.upsert(
        bot,
        UpsertPendingActions(
            actions=[
                PendingActionUpsert(
                    type="follow_up",
                    title="Waits on",
                    metadata={"event": {"type": "goal.transitioned", "id": child.uid}},
                )
            ]
        ),
    )


async def read_and_refuse_events(world: World) -> None:
    """A consumer of an actor, and a broker that refused the first event for good and the next one once."""
    consumers = world.services.outbox.consumers
    await consumers.acknowledge(await world.caller(), AcknowledgeEvents(consumer="mailer", seq=0))
    first, second = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org}) WHERE e.seq IN [1, 2] RETURN e.uid AS uid ORDER BY e.seq"
    )
    refused = Progress(1, second["uid"], 1, ((first["uid"], 1, 3, "too large"),))

    async def work(tx: Tx) -> None:
        await outbox_store.move_publisher(tx, "nats", [(world.org_id, refused)], world.clock.now())

    await world.services.database.write(work)


async def propose_something(world: World, bot: Caller) -> None:
    """Submit proposals, decide about one, withdraw one; use an unknown type, and take a known one instead."""
    services = world.services
    proposed = await services.registry.proposals.submission.submit(
        bot,
        SubmitRegistryProposal(
            proposal_type=ProposalType.ADD,
            type_id="brew",
            display_name="Brew",
            description="Make something to drink",
            diff={"note": None},
            suggested_policies={"blocking": False},
            allowed_statuses=("pending", "completed"),
            allowed_transitions={"pending": ["completed"]},
            rationale="often asked for",
            examples=("tea",),
            risks=("heat",),
            turn_id="turn-1",
        ),
    )
    mia = await world.caller(None, person="mia", roles=("maintainer",))
    await services.registry.proposals.review.review(
        mia, ReviewRegistryProposal(id=proposed.uid, decision=ReviewDecision.APPROVE, comments="yes")
    )
    await export_and_merge(world, mia, proposed.uid)
    mistaken = await services.registry.proposals.submission.submit(
        bot, SubmitRegistryProposal(proposal_type=ProposalType.ADD, type_id="stir", rationale="now and then")
    )
    await services.registry.proposals.withdrawal.withdraw(
        bot, WithdrawRegistryProposal(id=mistaken.uid, reason="a mistake")
    )
    (unknown,) = await services.actions.upsert.upsert(
        bot,
        UpsertPendingActions(
            actions=[PendingActionUpsert(type="Pour it", title="Pour", owner=ActionOwner.AGENT)],
            turn_id="turn-1",
        ),
    )
    assert unknown.action
    await services.actions.upsert.upsert(
        bot, UpsertPendingActions(actions=[PendingActionUpsert(id=unknown.action.uid, type="agent_task")])
    )


async def export_and_merge(world: World, mia: Caller, uid: str) -> None:
    """Export a proposal, and load a registry that has it."""
    services = world.services
    with TemporaryDirectory() as folder:
        clone = registry_repository(Path(folder) / "clone")
        settings = services.settings.model_copy(
            update={
                "registry_dir": clone / "registry",
                "registry_repository": clone,
                "registry_name": world.org,
            }
        )
        mine = build_services(settings, services.database.driver, clock=world.clock)
        await mine.registry.definitions.keep()
        pull = await mine.registry.proposals.export.export(mia, ExportProposalAsPr(id=uid))
        git(clone, "merge", "-q", str(pull.branch))
        changed = clone / "registry" / "action_types" / "research.yaml"
        changed.write_text(changed.read_text().replace("display_name: Research", "display_name: Reading"))
        assert mine.registry.watch.look()
        await mine.registry.definitions.keep()
        await mine.registry.proposals.merge.merge()


async def take_a_name_again(world: World) -> None:
    """End the turn `turn-1`, and begin another one with its name when the name is free."""
    bot = await world.caller(person="ann", device="phone")
    await world.services.turns.commit.commit(bot, CommitAtTurnEnd(turn_id="turn-1"))
    world.clock.advance(days=1)
    await world.services.turns.start.start(bot, StartTurn(turn_id="turn-1"))


async def found_in(world: World) -> dict[str, dict[str, set[str]]]:
    """The value types of every property by label or relationship type, `MISSING` where a node lacks one."""
    nodes = await world.rows(
        "MATCH (n) WHERE n.org_id = $org OR n:Embedding OR n:KeyLock AND n.key <> 'texts' OR n:Lease "
        "OR n:Migration OR n:TypeDefinition "
        "WITH labels(n) AS labels, keys(n) AS keys, [key IN keys(n) | valueType(n[key])] AS types "
        "RETURN DISTINCT labels, keys, types"
    )
    edges = await world.rows(
        "MATCH (n {org_id: $org})-[r]->() WITH [type(r)] AS labels, keys(r) AS keys, "
        "[key IN keys(r) | valueType(r[key])] AS types RETURN DISTINCT labels, keys, types"
    )
    found: dict[str, dict[str, set[str]]] = {}
    rows: list[dict[str, Any]] = [*nodes, *edges]
    for row in rows:
        for label in row["labels"]:
            for key, kind in zip(row["keys"], row["types"], strict=True):
                kinds = found.setdefault(label, {}).setdefault(key, set())
                if kind != "LIST<NOTHING> NOT NULL":  # an empty list fits every type of list
                    kinds.add(kind.removesuffix(" NOT NULL"))
            found.setdefault(label, {})
    for row in rows:
        for label in row["labels"]:
            for key, kinds in found[label].items():
                if key not in row["keys"]:
                    kinds.add("MISSING")
    return found


def complaints(schema: NodeSchema, found: dict[str, dict[str, set[str]]]) -> list[str]:
    """Where the written graph and the declarations differ."""
    declared = {**schema.labels, **schema.relationships}
    said = [f"{name}: not declared" for name in sorted(found.keys() - declared.keys())]
    said += [f"{name}: never written" for name in sorted(declared.keys() - found.keys() - TRANSIENT)]
    said += [f"{name}: left behind" for name in sorted(found.keys() & TRANSIENT)]
    for name in sorted(found.keys() & declared.keys()):
        parts: dict[str, DeclaredProperty] = dict(declared[name])
        # A memory's other label declares what only that kind of memory has.
        allowed = {**parts}
        for sub, ups in schema.parents.items():
            if name in ups or (name in STATES and "embedding_a" in declared[sub]):
                allowed |= declared[sub]
        for key, kinds in sorted(found[name].items()):
            if key not in allowed:
                said.append(f"{name}.{key}: not declared")
            elif kinds - {"MISSING"} - {allowed[key].type}:
                said.append(f"{name}.{key}: {sorted(kinds)}, declared {allowed[key].type}")
            elif key in parts and parts[key].required and "MISSING" in kinds:
                said.append(f"{name}.{key}: required, but missing on some")
        # What a label takes over from another need not be on each of its kinds.
        inherited = set().union(*(declared[up] for up in schema.parents.get(name, ())))
        said += [
            f"{name}.{key}: never written"
            for key in sorted(parts.keys() - found[name].keys() - inherited)
            if (name, key) not in DECLARED_AHEAD and name not in STATES
        ]
    return said


async def fail_to_evaluate(world: World) -> None:
    """An observation that waits for the next turn."""
    caller, scratch = await world.caller(), world.services.scratch.service
    (left,) = await scratch.add(caller, [ObservationDraft(content="The pot leaks")])
    now = world.clock.now()
    await world.services.database.write(lambda tx: scratch.await_evaluation_in(tx, caller, [left.uid], now))


@pytest.fixture
async def gone_afterwards(world: World) -> AsyncIterator[None]:
    """What jobs would find of one of everything is gone when other tests run them."""
    yield
    await world.rows("MATCH (n {org_id: $org}) DETACH DELETE n")


@pytest.mark.usefixtures("first_slot", "gone_afterwards")
async def test_what_is_written_is_what_is_declared(world: World) -> None:
    await write_one_of_everything(world)
    await relate(world)
    await embed_plans(world)
    await summarise(world)
    for job in ("link_included", "count_items"):
        await world.services.jobs.run_once(world.services.jobs.named[job])
    # One batch of the relay: readers are not told of it yet, and what follows is not stamped.
    relay = world.services.outbox.relay
    await world.services.database.write(lambda tx: relay.stamp_in(tx, world.clock.now(), 1000))
    await read_and_refuse_events(world)
    # The job has linked the receipts of before.
    bot = await world.caller(person="ann", device="phone")
    again = AssembleContext(prompt="tea?", budget=1000, turn_id="turn-2", session_id="goes on")
    await world.services.context.assemble(bot, again)
    await take_a_name_again(world)
    await fail_to_evaluate(world)
    declared = declared_schema(node_classes())

    assert complaints(declared, await found_in(world)) == []
    edges = await edges_in(world, world.org_id)
    assert undeclared(declared, edges) == set()
    assert declared.edges - edges == set()
    assert await violations(world, world.org_id, declared) == []
    assert turns_of(Graph(*await rows_of(world))) == []


async def test_what_is_written_otherwise_is_found(world: World) -> None:
    caller = await world.caller()
    await world.services.scratch.service.add(caller, [ObservationDraft(content="x")])
    await world.rows(
        "MATCH (o:Observation {org_id: $org}) SET o.colour = 'red', o.confidence = 'high', o:Odd "
        "REMOVE o.content CREATE (o)-[:NEAR]->(o)"
    )

    said = complaints(declared_schema(node_classes()), await found_in(world))

    assert {
        "NEAR: not declared",
        "Odd: not declared",
        "Observation.colour: not declared",
        "Goal: never written",
        "Observation.confidence: ['STRING'], declared FLOAT",
        "Memory.content: never written",
    } <= set(said)


@pytest.mark.usefixtures("first_slot")
async def test_what_is_declared_ahead_is_not_written_yet(world: World) -> None:
    await write_one_of_everything(world)
    await summarise(world)
    found = await found_in(world)

    assert {(name, key) for name, key in DECLARED_AHEAD if key in found[name]} == set()
