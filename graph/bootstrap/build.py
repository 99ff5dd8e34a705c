"""Builds the services from the settings: the one place where the parts are connected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from neo4j import AsyncDriver

from prefrontal.graph.access.service import AccessService
from prefrontal.graph.bootstrap.metrics import Metrics
from prefrontal.graph.bootstrap.services import (
    ActionServices,
    GoalServices,
    HistoryServices,
    OutboxServices,
    ProposalServices,
    QuestionServices,
    RegistryServices,
    ScratchServices,
    Services,
    TransferServices,
    TurnServices,
)
from prefrontal.graph.bootstrap.traces import traces_of
from prefrontal.graph.clock import Clock, SystemClock
from prefrontal.graph.config import Catalog
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.context.service import ContextService
from prefrontal.graph.cortex.actions.fixture_runner import fixture_complaints
from prefrontal.graph.cortex.actions.revert import ActionReverts
from prefrontal.graph.cortex.actions.service import ActionService
from prefrontal.graph.cortex.actions.transitions import ActionTransitions
from prefrontal.graph.cortex.actions.type_migration import TypeMigration
from prefrontal.graph.cortex.actions.upsert import ActionUpserts
from prefrontal.graph.cortex.goals.evidence import GoalEvidence
from prefrontal.graph.cortex.goals.revert import GoalReverts
from prefrontal.graph.cortex.goals.service import GoalService
from prefrontal.graph.cortex.goals.sharing import GoalSharing
from prefrontal.graph.cortex.goals.suggestions import GoalSuggestions
from prefrontal.graph.cortex.goals.transitions import GoalTransitions
from prefrontal.graph.cortex.goals.upsert import GoalUpserts
from prefrontal.graph.cortex.mandates.service import MandateService
from prefrontal.graph.cortex.mandates.violations import DeclaredRules, MandateChecker
from prefrontal.graph.cortex.questions.revert import QuestionReverts, StoryReverts
from prefrontal.graph.cortex.questions.service import QuestionService
from prefrontal.graph.cortex.questions.transitions import QuestionTransitions
from prefrontal.graph.cortex.questions.upsert import QuestionUpserts
from prefrontal.graph.embedding.embeddings import Embeddings
from prefrontal.graph.embedding.prototypes import Prototypes
from prefrontal.graph.embedding.service import EmbeddingService
from prefrontal.graph.entities.service import EntityService
from prefrontal.graph.erasure.service import ErasureService
from prefrontal.graph.evaluation.service import EvaluationService
from prefrontal.graph.history.audit import AuditService
from prefrontal.graph.history.revert import RevertService
from prefrontal.graph.history.service import HistoryService
from prefrontal.graph.ids import Kind
from prefrontal.graph.jobs.commits import DeleteEpisodes, DeleteExports
from prefrontal.graph.jobs.embedding import EmbedMemories, RenewTerms
from prefrontal.graph.jobs.escalation import AwaitEvents, EscalateActions
from prefrontal.graph.jobs.outbox import PublishEvents, RelayEvents
from prefrontal.graph.jobs.periodic import CountItems, DeleteOutdated, ExpireObservations, LinkIncluded
from prefrontal.graph.jobs.retention import DeleteArchived, DeleteEvents, DeleteTraces
from prefrontal.graph.jobs.runner import JobRunner
from prefrontal.graph.jobs.sessions import CorrelateSessions, EndIdleSessions, ExpireDigests, MeasureSessions
from prefrontal.graph.jobs.summaries import CompactLogs, SummariseConversations, SummariseGoals
from prefrontal.graph.jobs.turns import CloseAbandonedTurns, DeleteInvocations
from prefrontal.graph.journal.quota import Quota
from prefrontal.graph.journal.record import Change
from prefrontal.graph.journal.service import ChangeWriter
from prefrontal.graph.lessons.extraction import LessonExtractor, RuleExtractor
from prefrontal.graph.lessons.reflection import Evaluator, RuleReflector
from prefrontal.graph.lessons.service import LessonService
from prefrontal.graph.memory.service import MemoryService
from prefrontal.graph.outbox.broker import Broker
from prefrontal.graph.outbox.consumers import ConsumerService
from prefrontal.graph.outbox.jetstream import JetStream
from prefrontal.graph.outbox.publisher import CONSUMER, Publisher
from prefrontal.graph.outbox.relay import Relay
from prefrontal.graph.outbox.service import EventService
from prefrontal.graph.outbox.signal import Signal
from prefrontal.graph.outbox.status import OutboxOverview
from prefrontal.graph.outbox.stream import EventStreams
from prefrontal.graph.outbox.stream_positions import StreamPositions
from prefrontal.graph.outcomes.service import OutcomeService
from prefrontal.graph.registry.definitions import ActionTypes
from prefrontal.graph.registry.effective_types import EffectiveTypes
from prefrontal.graph.registry.files.service import DefinitionService
from prefrontal.graph.registry.load import load_registry
from prefrontal.graph.registry.overrides.service import OverrideService
from prefrontal.graph.registry.proposals.export import ProposalExports
from prefrontal.graph.registry.proposals.forge import Forge, LocalGit
from prefrontal.graph.registry.proposals.merge import ProposalMerges
from prefrontal.graph.registry.proposals.review import ProposalReviews
from prefrontal.graph.registry.proposals.service import ProposalService
from prefrontal.graph.registry.proposals.submission import ProposalSubmissions
from prefrontal.graph.registry.proposals.unknown_types import UnknownTypes
from prefrontal.graph.registry.proposals.withdrawal import ProposalWithdrawals
from prefrontal.graph.registry.watch import RegistryWatch
from prefrontal.graph.scratch.contradiction import ContradictionDetector
from prefrontal.graph.scratch.expiry import ObservationExpiry
from prefrontal.graph.scratch.service import ScratchService
from prefrontal.graph.search.service import SearchService
from prefrontal.graph.sessions.access_log import AccessLog
from prefrontal.graph.sessions.bridging import SessionBridging
from prefrontal.graph.sessions.checkpoints import SessionCheckpoints
from prefrontal.graph.sessions.correlation_service import SessionCorrelations
from prefrontal.graph.sessions.event_list import SessionEvents
from prefrontal.graph.sessions.monitoring import SessionMonitor
from prefrontal.graph.sessions.repair import SessionRepair
from prefrontal.graph.sessions.service import SessionService
from prefrontal.graph.storage.baseline import BASELINE
from prefrontal.graph.storage.pool import pool_of
from prefrontal.graph.storage.queries import Query, load_queries
from prefrontal.graph.storage.schema import load_migrations
from prefrontal.graph.storage.scopes import ScopeCheck
from prefrontal.graph.storage.unit_of_work import Database, QueryObserver
from prefrontal.graph.summaries.conversation_reader import ConversationReader
from prefrontal.graph.summaries.rolling import ConversationSummaries
from prefrontal.graph.summaries.service import SummaryService
from prefrontal.graph.text.encoder import Encoder
from prefrontal.graph.text.encoders import encoder_of, reranker_of
from prefrontal.graph.text.reranker import Reranker
from prefrontal.graph.text.summary import Extractive, Summariser
from prefrontal.graph.text.tokens import BpeCounter
from prefrontal.graph.text.words import stems_of
from prefrontal.graph.tools.service import ToolService
from prefrontal.graph.transfer.export import OrganisationExport
from prefrontal.graph.transfer.importing import OrganisationImport
from prefrontal.graph.turns.apply import Applier
from prefrontal.graph.turns.commit import TurnCommits
from prefrontal.graph.turns.finalization import TurnFinalization
from prefrontal.graph.turns.forgetting import erase_in_turns, forget_in_turns
from prefrontal.graph.turns.parts import CommitParts
from prefrontal.graph.turns.plans import PlanChecks
from prefrontal.graph.turns.recovery import CommitRecovery
from prefrontal.graph.turns.start import TurnStarts
from prefrontal.graph.turns.trace import TurnTrace
from prefrontal.graph.turns.tracking import ToolTracking


def build_services(
    settings: Settings,
    driver: AsyncDriver,
    *,
    clock: Clock | None = None,
    observers: list[QueryObserver] | None = None,
    catalog: Catalog | None = None,
    action_types: ActionTypes | None = None,
    queries: Mapping[str, Query] | None = None,
    detector: ContradictionDetector | None = None,
    summariser: Summariser | None = None,
    forge: Forge | None = None,
    encoder: Encoder | None = None,
    mandate_checker: MandateChecker | None = None,
    lesson_extractor: LessonExtractor | None = None,
    evaluator: Evaluator | None = None,
    broker: Broker | None = None,
) -> Services:
    """Return the services over the driver's database; the driver connects on first use.

    Args:
        settings: The settings of the process.
        driver: The Neo4j driver; `Services.close` closes it.
        clock: The source of the current time; the system clock by default.
        observers: Functions that are called after every statement, besides the metrics.
        catalog: The tables of `registry/`; read from the registry folder by default.
        action_types: The action types of `registry/`; read from the registry folder by default.
        queries: The statements of `cypher/` by name; read from its folder by default.
        detector: Finds contradicting observations; by default a comparison of wordings.
        summariser: Writes the texts of summaries; by default an extractive one, which selects sentences.
        mandate_checker: Finds the mandates that a plan violates; by default by what mandates declare.
        lesson_extractor: Finds the lessons of outcomes; by default by rules.
        evaluator: Judges how turns went; by default by rules.
        broker: Where events are published; by default the NATS server of the settings, if they name one.
        forge: Where approved proposals are exported; by default the git repository of the settings.
        encoder: Makes vectors of texts; by default the one of the settings, if they name one.

    Raises:
        SettingsError: If the tokenizer or the encoder is unknown.
        CatalogError: If a file of the registry is wrong.
        QueryFileError: If a Cypher file does not match its header.
    """
    clock = clock or SystemClock()
    encoder, reranker = _models(settings, encoder)
    if catalog is None or action_types is None:
        tables, files = load_registry(settings.registry_dir)
        catalog, action_types = catalog or tables, files if action_types is None else action_types
    metrics = Metrics(action_types.is_counted, catalog.capacity.is_known_type)
    traces = traces_of(settings)
    database = Database(
        driver,
        load_queries(settings.cypher_dir) if queries is None else queries,
        database=settings.neo4j_database,
        timeout_s=settings.query_timeout_s,
        retry_time_s=settings.retry_time_s,
        observers=[
            metrics.observe_query,
            *([traces.observe_query] if traces is not None else []),
            *(observers or []),
        ],
        on_retry=metrics.database.retried,
    )
    metrics.database.watch(pool_of(driver), settings.pool_size)
    relay, positions = (
        Relay(database, catalog.outbox, signal=Signal()),
        StreamPositions(database, catalog.outbox),
    )

    publisher = _publisher_of(settings, database, clock, catalog, broker)

    def positions_advanced(places: Mapping[str, int]) -> None:
        positions.advance(places)
        if publisher is not None:
            publisher.signal.set()

    def changed(change: Change) -> None:
        metrics.changed(change)
        if change.events:
            relay.signal.set()

    changes = ChangeWriter(
        database,
        clock,
        catalog,
        on_change=changed,
        quota=Quota(settings.max_items_per_organisation),
    )
    types = EffectiveTypes(action_types)
    merges = ProposalMerges(database, action_types, types, changes)
    overrides = OverrideService(database, catalog, changes, types, merges.settle)
    unknown = UnknownTypes()
    proposals = ProposalService(database, catalog)
    history = HistoryService(database, catalog)
    consumers = ConsumerService(database, catalog, changes)
    events = EventService(database, history, consumers)
    trace = TurnTrace(database, clock, catalog.retention.export_days, catalog.retention.trace_days)
    embeddings = Embeddings(encoder, catalog.memory.embedding_deadline_ms / 1000)
    scratch = ScratchServices(
        service=ScratchService(database, clock, catalog, changes, embeddings, detector),
        expiry=ObservationExpiry(catalog, changes),
    )
    actions = ActionServices(
        service=ActionService(database, clock, catalog, types, overrides, unknown),
        transitions=ActionTransitions(
            database, catalog, changes, types, overrides, on_refused=metrics.action_refused
        ),
        upsert=ActionUpserts(
            database, catalog, changes, types, overrides, unknown, on_refused=metrics.action_refused
        ),
        type_migration=TypeMigration(database, catalog, changes, types),
    )
    access_log = AccessLog(database, clock, catalog, on_counted=metrics.access_logged)
    correlations = SessionCorrelations(database, clock, catalog, embeddings, access_log)
    monitor = SessionMonitor(database, catalog, access_log)
    sessions = SessionService(
        database,
        clock,
        catalog,
        changes,
        embeddings,
        correlations,
        access_log,
        on_accesses=metrics.accesses_counted,
    )
    memory = MemoryService(
        database,
        clock,
        catalog,
        changes,
        embeddings,
        scratch.service.forget_in,
        sessions.forget_in,
        forget_in_turns,
    )
    mandates = MandateService(memory, mandate_checker or DeclaredRules(catalog.mandates))
    search = SearchService(database, clock, catalog, embeddings, reranker)
    goals = _goal_services(
        database,
        changes,
        GoalService(database, clock, catalog, changes, scratch.service, actions.service, mandates),
        GoalSuggestions(database, clock, catalog, scratch.service, search),
        scratch.service,
        catalog,
    )
    questions = _question_services(database, clock, catalog, changes, scratch.service)
    evaluation = EvaluationService(
        catalog,
        changes,
        scratch.service,
        goals.service,
        goals.evidence,
        questions.upsert,
        Prototypes(embeddings, catalog.evaluation),
        on_add=settings.evaluate_on_add,
    )
    embedding = EmbeddingService(database, embeddings)
    access = AccessService(database, clock, catalog, changes, overrides.refresh)
    lessons = LessonService(
        database,
        clock,
        catalog,
        changes,
        embeddings,
        lesson_extractor or RuleExtractor(catalog.lessons, stems_of(catalog.goals.topics.stop_words)),
    )
    tools = ToolService(database, clock, catalog, changes, access_log, scratch.service, embeddings)
    outcomes = OutcomeService(
        database,
        clock,
        catalog,
        changes,
        memory=memory,
        tools=tools,
        lessons=lessons,
        embeddings=embeddings,
        access_log=access_log,
    )
    summaries = SummaryService(
        database, clock, catalog, summariser or Extractive(stems_of(catalog.goals.topics.stop_words))
    )
    # With the baseline the encoder gets its slot, so that memories have vectors from the first start on.
    migrations = tuple(
        replace(each, step=embedding.claim if each.number == BASELINE else None)
        for each in load_migrations(settings.cypher_dir)
    )
    return Services(
        settings=settings,
        clock=clock,
        catalog=catalog,
        metrics=metrics,
        traces=traces,
        database=database,
        encoder=encoder,
        migrations=migrations,
        access=access,
        registry=RegistryServices(
            files=action_types,
            effective_types=types,
            watch=RegistryWatch(
                settings.registry_dir, action_types, clock=clock, on_load=metrics.registry_loaded
            ),
            definitions=DefinitionService(database, clock, action_types, settings.registry_name),
            overrides=overrides,
            proposals=ProposalServices(
                service=proposals,
                submission=ProposalSubmissions(catalog, action_types, changes, proposals, fixture_complaints),
                review=ProposalReviews(action_types, changes, proposals, fixture_complaints),
                export=ProposalExports(
                    catalog,
                    action_types,
                    changes,
                    proposals,
                    forge or _forge_of(settings),
                    fixture_complaints,
                ),
                merge=merges,
                withdrawal=ProposalWithdrawals(changes, proposals),
            ),
        ),
        scratch=scratch,
        entities=EntityService(database, catalog),
        goals=goals,
        actions=actions,
        questions=questions,
        evaluation=evaluation,
        erasure=ErasureService(database, clock, catalog, changes, erase_in_turns),
        memory=memory,
        lessons=lessons,
        sessions=sessions,
        session_correlations=correlations,
        session_monitor=monitor,
        session_checkpoints=SessionCheckpoints(database, catalog, changes, access_log),
        access_log=access_log,
        session_events=SessionEvents(database, access_log),
        session_repair=SessionRepair(database, clock, catalog),
        session_bridging=SessionBridging(catalog, changes, embeddings, sessions, correlations, access_log),
        embedding=embedding,
        scopes=ScopeCheck(database),
        search=search,
        context=ContextService(
            database,
            clock,
            catalog,
            changes,
            BpeCounter(settings.tokenizer),
            access,
            search,
            sessions,
            evaluation.prototypes,
        ),
        tools=tools,
        outcomes=outcomes,
        transfer=TransferServices(
            export=OrganisationExport(database, len(migrations)),
            importing=OrganisationImport(database, len(migrations), ScopeCheck(database)),
        ),
        turns=_turn_services(
            database,
            clock,
            catalog,
            changes,
            metrics,
            goals=goals,
            actions=actions,
            questions=questions,
            scratch=scratch.service,
            memory=memory,
            tools=tools,
            outcomes=outcomes,
            lessons=lessons,
            trace=trace,
            embeddings=embeddings,
            access_log=access_log,
            evaluation=evaluation,
            evaluates=settings.evaluate_on_add,
            evaluator=evaluator,
            plans=PlanChecks(database, catalog, types, goals.service, actions.service, mandates),
        ),
        summaries=summaries,
        conversations=ConversationReader(database, catalog),
        outbox=OutboxServices(
            relay=relay,
            positions=positions,
            events=events,
            streams=EventStreams(events, positions, catalog.outbox, most=settings.caller_streams),
            consumers=consumers,
            overview=OutboxOverview(database, clock, catalog.outbox),
            publisher=publisher,
        ),
        history=HistoryServices(
            service=history,
            audit=AuditService(database, catalog),
            revert=RevertService(
                changes,
                {
                    Kind.GOAL: GoalReverts(catalog, goals.service),
                    Kind.PENDING_ACTION: ActionReverts(catalog, types),
                    Kind.QUESTION: QuestionReverts(),
                    Kind.STORY: StoryReverts(),
                },
            ),
        ),
        jobs=JobRunner(
            database,
            clock,
            [
                ExpireObservations(catalog),
                LinkIncluded(catalog),
                DeleteOutdated(catalog),
                DeleteArchived(catalog),
                DeleteTraces(catalog),
                DeleteEvents(catalog, published_to=CONSUMER if publisher is not None else ""),
                EscalateActions(
                    catalog,
                    action_types,
                    questions.upsert,
                    on_change=changed,
                    on_overdue=metrics.actions_overdue,
                ),
                CountItems(catalog, settings.max_items_per_organisation),
                AwaitEvents(catalog, action_types, on_change=changed),
                SummariseGoals(catalog, summaries),
                CompactLogs(catalog, summaries),
                SummariseConversations(catalog, ConversationSummaries(catalog)),
                CloseAbandonedTurns(catalog, on_change=changed),
                DeleteInvocations(catalog),
                DeleteEpisodes(catalog),
                DeleteExports(catalog),
                EndIdleSessions(catalog, sessions, on_change=changed),
                CorrelateSessions(catalog, correlations),
                ExpireDigests(catalog, correlations),
                MeasureSessions(catalog, monitor, on_measured=metrics.sessions.record_active),
                EmbedMemories(catalog, embedding),
                RenewTerms(catalog, embedding),
                RelayEvents(
                    catalog,
                    relay,
                    on_stamped=metrics.outbox.stamped,
                    on_told=positions_advanced,
                    on_backlog=metrics.outbox.waiting,
                ),
                *(
                    [
                        PublishEvents(
                            catalog,
                            publisher,
                            on_round=metrics.outbox.published,
                            on_unpublished=metrics.outbox.unpublished,
                        )
                    ]
                    if publisher is not None
                    else []
                ),
            ],
            on_done=metrics.job_done,
            span=traces.job if traces is not None else None,
        ),
    )


def _models(settings: Settings, given: Encoder | None) -> tuple[Encoder | None, Reranker | None]:
    """Return the given encoder, or that of the settings with its reranker."""
    if given is not None:
        return given, None
    named = (settings.encoder, settings.cache_dir, settings.encoder_threads)
    return encoder_of(*named, settings.encoder_key), reranker_of(*named)


def _question_services(
    database: Database, clock: Clock, catalog: Catalog, changes: ChangeWriter, scratch: ScratchService
) -> QuestionServices:
    """Return the use cases of questions and stories."""
    service = QuestionService(database, clock, catalog)
    return QuestionServices(
        service=service,
        transitions=QuestionTransitions(catalog, changes, service),
        upsert=QuestionUpserts(catalog, changes, scratch, service),
    )


def _goal_services(
    database: Database,
    changes: ChangeWriter,
    service: GoalService,
    suggestions: GoalSuggestions,
    scratch: ScratchService,
    catalog: Catalog,
) -> GoalServices:
    """Return the use cases of goals."""
    return GoalServices(
        service=service,
        transitions=GoalTransitions(database, catalog, changes, service),
        evidence=GoalEvidence(database, catalog, changes, scratch),
        suggestions=suggestions,
        upsert=GoalUpserts(catalog, changes, service),
        sharing=GoalSharing(database, changes),
    )


def _turn_services(
    database: Database,
    clock: Clock,
    catalog: Catalog,
    changes: ChangeWriter,
    metrics: Metrics,
    *,
    goals: GoalServices,
    actions: ActionServices,
    questions: QuestionServices,
    scratch: ScratchService,
    memory: MemoryService,
    tools: ToolService,
    outcomes: OutcomeService,
    lessons: LessonService,
    trace: TurnTrace,
    embeddings: Embeddings,
    access_log: AccessLog,
    evaluation: EvaluationService,
    evaluates: bool,
    evaluator: Evaluator | None,
    plans: PlanChecks,
) -> TurnServices:
    """Return the use cases of turns."""
    doubts = evaluation.doubts if evaluates else None
    commits = TurnCommits(
        database,
        catalog,
        changes,
        Applier(
            goals.transitions,
            actions.upsert,
            actions.transitions,
            questions.upsert,
            scratch,
            memory,
            catalog=catalog,
            doubts=doubts,
        ),
        goals=goals.service,
        actions=actions.service,
        questions=questions.service,
        scratch=scratch,
        memory=memory,
        embeddings=embeddings,
        access_log=access_log,
        follow_up=evaluation.follow_up,
        on_refused=metrics.action_refused,
    )
    parts = CommitParts(catalog, commits, outcomes=outcomes, memory=memory, scratch=scratch, tools=tools)
    recovery = CommitRecovery(database, catalog, changes, parts, lessons, embeddings)
    reflector = RuleReflector(catalog.lessons, stems_of(catalog.goals.topics.stop_words))
    finalization = TurnFinalization(
        database,
        clock,
        catalog,
        changes,
        commits,
        parts,
        recovery,
        goals=goals.service,
        tools=tools,
        memory=memory,
        outcomes=outcomes,
        lessons=lessons,
        turns=trace,
        embeddings=embeddings,
        access_log=access_log,
        evaluator=evaluator or reflector,
        reflector=reflector,
        doubts=doubts,
        on_phase=metrics.turn_phase,
        on_store=metrics.turn_store,
    )
    return TurnServices(
        start=TurnStarts(
            database,
            catalog,
            changes,
            goals=goals.service,
            actions=actions.service,
            questions=questions.service,
            turns=trace,
            access_log=access_log,
            evaluate_awaiting=evaluation.evaluate_awaiting,
        ),
        commit=commits,
        finalization=finalization,
        tracking=ToolTracking(changes, tools, recovery, follow_up=evaluation.follow_up, doubts=doubts),
        trace=trace,
        plans=plans,
    )


def _publisher_of(
    settings: Settings, database: Database, clock: Clock, catalog: Catalog, broker: Broker | None
) -> Publisher | None:
    if broker is None and settings.nats_url is None:
        return None
    return Publisher(
        database,
        clock,
        catalog.outbox,
        broker or JetStream(settings, catalog.outbox.publish),
        prefix=settings.nats_subject_prefix,
        signal=Signal(),
    )


def _forge_of(settings: Settings) -> Forge | None:
    return LocalGit(settings.registry_repository) if settings.registry_repository else None
