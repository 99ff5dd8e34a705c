"""The use cases of every domain in one place, as the API gets them."""

from __future__ import annotations

from dataclasses import dataclass

from graph.access.service import AccessService
from graph.catalog import Catalog
from graph.catalog.watching import RegistryWatch
from graph.clock import Clock
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
from graph.jobs.runner import JobRunner
from graph.metrics import Metrics
from graph.recall.service import RecallService
from graph.scratch.service import ScratchService
from graph.scratch.sweeping import ObservationSweeper
from graph.settings import Settings
from graph.storage.schema import Migration
from graph.storage.unit_of_work import Database
from graph.turns.service import TurnService


@dataclass(frozen=True, slots=True)
class Services:
    """Everything a surface may call."""

    settings: Settings
    clock: Clock
    catalog: Catalog
    registry: RegistryWatch
    metrics: Metrics
    database: Database
    migrations: tuple[Migration, ...]
    access: AccessService
    scratch: ScratchService
    sweeper: ObservationSweeper
    entities: EntityService
    goals: GoalService
    goal_moves: GoalMoves
    goal_upserts: GoalUpserts
    goal_sharing: GoalSharing
    actions: ActionService
    questions: QuestionService
    question_upserts: QuestionUpserts
    question_moves: QuestionMoves
    action_moves: ActionMoves
    action_upserts: ActionUpserts
    evaluation: EvaluationService
    recall: RecallService
    context: ContextService
    turns: TurnService
    jobs: JobRunner

    async def close(self) -> None:
        """Close the connections to the database."""
        await self.database.driver.close()
