"""Wires everything, once, from settings to services."""

from __future__ import annotations

from neo4j import AsyncDriver

from graph.access.service import AccessService
from graph.catalog import Catalog, load_catalog
from graph.catalog.watching import RegistryWatch
from graph.clock import Clock, SystemClock
from graph.context.service import ContextService
from graph.cortex.actions.moving import ActionMoves
from graph.cortex.actions.service import ActionService
from graph.cortex.actions.upserting import ActionUpserts
from graph.cortex.goals.moving import GoalMoves
from graph.cortex.goals.service import GoalService
from graph.cortex.goals.sharing import GoalSharing
from graph.cortex.goals.upserting import GoalUpserts
from graph.cortex.questions.moving import QuestionMoves
from graph.cortex.questions.service import QuestionService
from graph.cortex.questions.upserting import QuestionUpserts
from graph.entities.service import EntityService
from graph.evaluation.service import EvaluationService
from graph.jobs.periodic import DeleteOutdated, ExpireObservations
from graph.jobs.runner import JobRunner
from graph.journal.service import ChangeWriter
from graph.metrics import Metrics
from graph.recall.service import RecallService
from graph.scratch.contradiction import ContradictionDetector
from graph.scratch.service import ScratchService
from graph.scratch.sweeping import ObservationSweeper
from graph.services import Services
from graph.settings import Settings
from graph.storage.queries import load_queries
from graph.storage.schema import load_migrations
from graph.storage.unit_of_work import Database, QueryObserver
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
) -> Services:
    """Return the services over the driver's database; nothing is connected until it is used.

    With a `detector` it tells which observations contradict each other, instead of the one that compares
    wordings.

    Raises:
        SettingsError: The tokenizer is not a known one.
        CatalogError: The registry is wrong.
        QueryFileError: A Cypher file breaks its contract.
    """
    clock = clock or SystemClock()
    catalog = catalog or load_catalog(settings.registry_dir)
    metrics = Metrics()
    database = Database(
        driver,
        load_queries(settings.cypher_dir),
        database=settings.neo4j_database,
        timeout_s=settings.query_timeout_s,
        retry_time_s=settings.retry_time_s,
        observers=[metrics.observe_query, *(observers or [])],
    )
    changes = ChangeWriter(database, clock, catalog)
    scratch = ScratchService(database, clock, catalog, changes, detector)
    actions = ActionService(database, catalog)
    goals = GoalService(database, catalog, changes, scratch, actions)
    moves = GoalMoves(database, catalog, changes, scratch)
    questions = QuestionService(database, catalog)
    return Services(
        settings=settings,
        clock=clock,
        catalog=catalog,
        registry=RegistryWatch(settings.registry_dir, catalog.action_types, on_load=metrics.registry_loaded),
        metrics=metrics,
        database=database,
        migrations=load_migrations(settings.cypher_dir),
        access=AccessService(database, clock, catalog, changes),
        scratch=scratch,
        sweeper=ObservationSweeper(catalog, changes),
        entities=EntityService(database, catalog),
        goals=goals,
        goal_upserts=GoalUpserts(catalog, changes, goals),
        goal_moves=moves,
        goal_sharing=GoalSharing(database, changes),
        actions=actions,
        questions=questions,
        question_upserts=QuestionUpserts(catalog, changes, scratch, questions),
        question_moves=QuestionMoves(catalog, changes, questions),
        action_moves=ActionMoves(database, catalog, changes),
        action_upserts=ActionUpserts(database, catalog, changes),
        evaluation=EvaluationService(
            catalog, changes, scratch, goals, moves, on_add=settings.evaluate_on_add
        ),
        recall=RecallService(database, catalog, changes),
        context=ContextService(database, clock, catalog, changes, BpeCounter(settings.tokenizer)),
        turns=TurnService(database),
        jobs=JobRunner(
            database,
            clock,
            [ExpireObservations(catalog), DeleteOutdated(catalog)],
            on_done=metrics.job_done,
        ),
    )
