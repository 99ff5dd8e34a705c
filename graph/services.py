"""The use cases of every domain in one place, as the API gets them."""

from __future__ import annotations

from dataclasses import dataclass

from prefrontal.graph.access.service import AccessService
from prefrontal.graph.catalog import Catalog
from prefrontal.graph.catalog.tables import TypeTables
from prefrontal.graph.catalog.watching import RegistryWatch
from prefrontal.graph.clock import Clock
from prefrontal.graph.context.service import ContextService
from prefrontal.graph.cortex.actions.migrating import ActionMigrator
from prefrontal.graph.cortex.actions.moving import ActionMoves
from prefrontal.graph.cortex.actions.service import ActionService
from prefrontal.graph.cortex.actions.upserting import ActionUpserts
from prefrontal.graph.cortex.goals.linking import GoalEvidence
from prefrontal.graph.cortex.goals.moving import GoalMoves
from prefrontal.graph.cortex.goals.service import GoalService
from prefrontal.graph.cortex.goals.sharing import GoalSharing
from prefrontal.graph.cortex.goals.upserting import GoalUpserts
from prefrontal.graph.cortex.proposals.exporting import ProposalExports
from prefrontal.graph.cortex.proposals.merging import ProposalMerges
from prefrontal.graph.cortex.proposals.reviewing import ProposalReviews
from prefrontal.graph.cortex.proposals.service import ProposalService
from prefrontal.graph.cortex.proposals.submitting import ProposalSubmissions
from prefrontal.graph.cortex.questions.moving import QuestionMoves
from prefrontal.graph.cortex.questions.service import QuestionService
from prefrontal.graph.cortex.questions.upserting import QuestionUpserts
from prefrontal.graph.cortex.turns.committing import TurnEnds
from prefrontal.graph.cortex.turns.starting import TurnStarts
from prefrontal.graph.entities.service import EntityService
from prefrontal.graph.evaluation.service import EvaluationService
from prefrontal.graph.history.auditing import AuditService
from prefrontal.graph.history.reverting import RevertService
from prefrontal.graph.history.service import HistoryService
from prefrontal.graph.jobs.runner import JobRunner
from prefrontal.graph.metrics import Metrics
from prefrontal.graph.recall.service import RecallService
from prefrontal.graph.registry.service import RegistryService
from prefrontal.graph.scratch.service import ScratchService
from prefrontal.graph.scratch.sweeping import ObservationSweeper
from prefrontal.graph.settings import Settings
from prefrontal.graph.storage.schema import Migration
from prefrontal.graph.storage.unit_of_work import Database
from prefrontal.graph.summaries.service import SummaryService
from prefrontal.graph.turns.service import TurnService


@dataclass(frozen=True, slots=True)
class Services:
    """Everything a surface may call."""

    settings: Settings
    clock: Clock
    catalog: Catalog
    registry: RegistryWatch
    action_types: TypeTables
    overrides: RegistryService
    metrics: Metrics
    database: Database
    migrations: tuple[Migration, ...]
    access: AccessService
    scratch: ScratchService
    sweeper: ObservationSweeper
    entities: EntityService
    goals: GoalService
    goal_moves: GoalMoves
    goal_evidence: GoalEvidence
    goal_upserts: GoalUpserts
    goal_sharing: GoalSharing
    actions: ActionService
    questions: QuestionService
    question_upserts: QuestionUpserts
    question_moves: QuestionMoves
    action_moves: ActionMoves
    action_migrator: ActionMigrator
    action_upserts: ActionUpserts
    proposals: ProposalService
    proposal_submissions: ProposalSubmissions
    proposal_reviews: ProposalReviews
    proposal_exports: ProposalExports
    proposal_merges: ProposalMerges
    evaluation: EvaluationService
    recall: RecallService
    context: ContextService
    turns: TurnService
    summaries: SummaryService
    turn_starts: TurnStarts
    history: HistoryService
    audit: AuditService
    reverts: RevertService
    turn_ends: TurnEnds
    jobs: JobRunner

    async def close(self) -> None:
        """Close the connections to the database."""
        await self.database.driver.close()
