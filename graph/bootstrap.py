"""Wires everything, once, from settings to services."""

from __future__ import annotations

from neo4j import AsyncDriver

from graph.access.service import AccessService
from graph.catalog import Catalog, load_catalog
from graph.catalog.tables import TypeTables
from graph.catalog.watching import RegistryWatch
from graph.clock import Clock, SystemClock
from graph.context.service import ContextService
from graph.cortex.actions.migrating import ActionMigrator
from graph.cortex.actions.moving import ActionMoves
from graph.cortex.actions.playing import fixture_complaints
from graph.cortex.actions.reverting import ActionReverts
from graph.cortex.actions.service import ActionService
from graph.cortex.actions.upserting import ActionUpserts
from graph.cortex.goals.linking import GoalEvidence
from graph.cortex.goals.moving import GoalMoves
from graph.cortex.goals.reverting import GoalReverts
from graph.cortex.goals.service import GoalService
from graph.cortex.goals.sharing import GoalSharing
from graph.cortex.goals.upserting import GoalUpserts
from graph.cortex.proposals.exporting import ProposalExports
from graph.cortex.proposals.forge import Forge, LocalGit
from graph.cortex.proposals.merging import ProposalMerges
from graph.cortex.proposals.reviewing import ProposalReviews
from graph.cortex.proposals.service import ProposalService
from graph.cortex.proposals.submitting import ProposalSubmissions
from graph.cortex.proposals.unknown import UnknownTypes
from graph.cortex.questions.moving import QuestionMoves
from graph.cortex.questions.reverting import QuestionReverts, StoryReverts
from graph.cortex.questions.service import QuestionService
from graph.cortex.questions.upserting import QuestionUpserts
from graph.cortex.turns.applying import Applier
from graph.cortex.turns.committing import TurnEnds
from graph.cortex.turns.starting import TurnStarts
from graph.entities.service import EntityService
from graph.evaluation.service import EvaluationService
from graph.history.auditing import AuditService
from graph.history.reverting import RevertService
from graph.history.service import HistoryService
from graph.ids import Kind
from graph.jobs.escalation import AwaitEvents, EscalateActions
from graph.jobs.periodic import DeleteOutdated, ExpireObservations
from graph.jobs.runner import JobRunner
from graph.journal.service import ChangeWriter
from graph.metrics import Metrics
from graph.recall.service import RecallService
from graph.registry.service import RegistryService
from graph.scratch.contradiction import ContradictionDetector
from graph.scratch.service import ScratchService
from graph.scratch.sweeping import ObservationSweeper
from graph.services import Services
from graph.settings import Settings
from graph.storage.queries import load_queries
from graph.storage.schema import load_migrations
from graph.storage.unit_of_work import Database, QueryObserver
from graph.summaries.service import SummaryService
from graph.text.summary import Extractive, Summariser
from graph.text.tokens import BpeCounter
from graph.turns.service import TurnService


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
