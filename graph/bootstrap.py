"""Wires everything, once, from settings to services."""

from __future__ import annotations

from neo4j import AsyncDriver

from prefrontal.graph.access.service import AccessService
from prefrontal.graph.catalog import Catalog, load_catalog
from prefrontal.graph.catalog.tables import TypeTables
from prefrontal.graph.catalog.watching import RegistryWatch
from prefrontal.graph.clock import Clock, SystemClock
from prefrontal.graph.context.service import ContextService
from prefrontal.graph.cortex.actions.migrating import ActionMigrator
from prefrontal.graph.cortex.actions.moving import ActionMoves
from prefrontal.graph.cortex.actions.playing import fixture_complaints
from prefrontal.graph.cortex.actions.reverting import ActionReverts
from prefrontal.graph.cortex.actions.service import ActionService
from prefrontal.graph.cortex.actions.upserting import ActionUpserts
from prefrontal.graph.cortex.goals.linking import GoalEvidence
from prefrontal.graph.cortex.goals.moving import GoalMoves
from prefrontal.graph.cortex.goals.reverting import GoalReverts
from prefrontal.graph.cortex.goals.service import GoalService
from prefrontal.graph.cortex.goals.sharing import GoalSharing
from prefrontal.graph.cortex.goals.upserting import GoalUpserts
from prefrontal.graph.cortex.proposals.exporting import ProposalExports
from prefrontal.graph.cortex.proposals.forge import Forge, LocalGit
from prefrontal.graph.cortex.proposals.merging import ProposalMerges
from prefrontal.graph.cortex.proposals.reviewing import ProposalReviews
from prefrontal.graph.cortex.proposals.service import ProposalService
from prefrontal.graph.cortex.proposals.submitting import ProposalSubmissions
from prefrontal.graph.cortex.proposals.unknown import UnknownTypes
from prefrontal.graph.cortex.questions.moving import QuestionMoves
from prefrontal.graph.cortex.questions.reverting import QuestionReverts, StoryReverts
from prefrontal.graph.cortex.questions.service import QuestionService
from prefrontal.graph.cortex.questions.upserting import QuestionUpserts
from prefrontal.graph.cortex.turns.applying import Applier
from prefrontal.graph.cortex.turns.committing import TurnEnds
from prefrontal.graph.cortex.turns.starting import TurnStarts
from prefrontal.graph.entities.service import EntityService
from prefrontal.graph.evaluation.service import EvaluationService
from prefrontal.graph.history.auditing import AuditService
from prefrontal.graph.history.reverting import RevertService
from prefrontal.graph.history.service import HistoryService
from prefrontal.graph.ids import Kind
from prefrontal.graph.jobs.escalation import AwaitEvents, EscalateActions
from prefrontal.graph.jobs.periodic import DeleteOutdated, ExpireObservations
from prefrontal.graph.jobs.runner import JobRunner
from prefrontal.graph.journal.service import ChangeWriter
from prefrontal.graph.metrics import Metrics
from prefrontal.graph.recall.service import RecallService
from prefrontal.graph.registry.service import RegistryService
from prefrontal.graph.scratch.contradiction import ContradictionDetector
from prefrontal.graph.scratch.service import ScratchService
from prefrontal.graph.scratch.sweeping import ObservationSweeper
from prefrontal.graph.services import Services
from prefrontal.graph.settings import Settings
from prefrontal.graph.storage.queries import load_queries
from prefrontal.graph.storage.schema import load_migrations
from prefrontal.graph.storage.unit_of_work import Database, QueryObserver
from prefrontal.graph.summaries.service import SummaryService
from prefrontal.graph.text.summary import Extractive, Summariser
from prefrontal.graph.text.tokens import BpeCounter
from prefrontal.graph.turns.service import TurnService


def build_services(
    settings: Settings,
    driver: AsyncDriver,
    *,
    clock: Clock | None = None,
    observers: list[QueryObserver] | None = None,
    catalog: Catalog | None = None,
    detector: ContradictionDetector | None = None,
    summariser: Summariser | None = None,
    forge: Forge | None = None,
) -> Services:
    """Return the services over the driver's database; nothing is connected until it is used.

    With a `detector` it tells which observations contradict each other, instead of the one that compares
    wordings; with a `summariser` it makes the texts of summaries, instead of the one that takes sentences;
    with a `forge` proposals are exported there instead of to the repository of the settings.

    Raises:
        SettingsError: The tokenizer is not a known one.
        CatalogError: The registry is wrong.
        QueryFileError: A Cypher file breaks its contract.
    """
    clock = clock or SystemClock()
    catalog = catalog or load_catalog(settings.registry_dir)
    metrics = Metrics(catalog.action_types.is_counted)
    database = Database(
        driver,
        load_queries(settings.cypher_dir),
        database=settings.neo4j_database,
        timeout_s=settings.query_timeout_s,
        retry_time_s=settings.retry_time_s,
        observers=[metrics.observe_query, *(observers or [])],
    )
    changes = ChangeWriter(database, clock, catalog, on_change=metrics.changed)
    scratch = ScratchService(database, clock, catalog, changes, detector)
    types = TypeTables(catalog.action_types)
    overrides = RegistryService(database, catalog, changes, types)
    unknown = UnknownTypes()
    proposals = ProposalService(database, catalog)
    actions = ActionService(database, catalog, types, unknown)
    goals = GoalService(database, catalog, changes, scratch, actions)
    moves = GoalMoves(database, catalog, changes)
    evidence = GoalEvidence(database, catalog, changes, scratch)
    questions = QuestionService(database, catalog)
    history = HistoryService(database, catalog)
    turns = TurnService(database)
    question_upserts = QuestionUpserts(catalog, changes, scratch, questions)
    action_moves = ActionMoves(database, catalog, changes, types, on_refused=metrics.action_refused)
    action_upserts = ActionUpserts(
        database, catalog, changes, types, unknown, on_refused=metrics.action_refused
    )
    return Services(
        settings=settings,
        clock=clock,
        catalog=catalog,
        registry=RegistryWatch(
            settings.registry_dir, catalog.action_types, clock=clock, on_load=metrics.registry_loaded
        ),
        action_types=types,
        overrides=overrides,
        metrics=metrics,
        database=database,
        migrations=load_migrations(settings.cypher_dir),
        access=AccessService(database, clock, catalog, changes, overrides.refresh),
        scratch=scratch,
        sweeper=ObservationSweeper(catalog, changes),
        entities=EntityService(database, catalog),
        goals=goals,
        goal_upserts=GoalUpserts(catalog, changes, goals),
        goal_moves=moves,
        goal_evidence=evidence,
        goal_sharing=GoalSharing(database, changes),
        actions=actions,
        questions=questions,
        question_upserts=question_upserts,
        question_moves=QuestionMoves(catalog, changes, questions),
        action_moves=action_moves,
        action_migrator=ActionMigrator(database, changes, types),
        action_upserts=action_upserts,
        proposals=proposals,
        proposal_submissions=ProposalSubmissions(catalog, changes, proposals),
        proposal_reviews=ProposalReviews(catalog, changes, proposals),
        proposal_exports=ProposalExports(
            catalog, changes, proposals, forge or _forge_of(settings), fixture_complaints
        ),
        proposal_merges=ProposalMerges(database, catalog, changes),
        evaluation=EvaluationService(
            catalog, changes, scratch, goals, evidence, question_upserts, on_add=settings.evaluate_on_add
        ),
        recall=RecallService(database, catalog, changes),
        context=ContextService(database, clock, catalog, changes, BpeCounter(settings.tokenizer)),
        turns=turns,
        summaries=SummaryService(
            database, clock, catalog, summariser or Extractive(catalog.goals.topics.stop_stems)
        ),
        turn_starts=TurnStarts(
            database, catalog, changes, goals=goals, actions=actions, questions=questions, turns=turns
        ),
        history=history,
        audit=AuditService(database, catalog),
        reverts=RevertService(
            catalog,
            changes,
            {
                Kind.GOAL: GoalReverts(catalog, history),
                Kind.PENDING_ACTION: ActionReverts(catalog, types, history),
                Kind.QUESTION: QuestionReverts(history),
                Kind.STORY: StoryReverts(history),
            },
        ),
        turn_ends=TurnEnds(
            database,
            catalog,
            changes,
            Applier(moves, action_upserts, action_moves, question_upserts),
            goals=goals,
            actions=actions,
            questions=questions,
            on_refused=metrics.action_refused,
        ),
        jobs=JobRunner(
            database,
            clock,
            [
                ExpireObservations(catalog),
                DeleteOutdated(catalog),
                EscalateActions(
                    catalog,
                    question_upserts,
                    on_change=metrics.changed,
                    on_overdue=metrics.actions_overdue,
                ),
                AwaitEvents(catalog, on_change=metrics.changed),
            ],
            on_done=metrics.job_done,
        ),
    )


def _forge_of(settings: Settings) -> Forge | None:
    return LocalGit(settings.registry_repository) if settings.registry_repository else None
