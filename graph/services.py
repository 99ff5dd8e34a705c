"""The use cases of every domain in one place, as the API gets them."""

from __future__ import annotations

from dataclasses import dataclass

from graph.access.service import AccessService
from graph.catalog import Catalog
from graph.catalog.tables import TypeTables
from graph.catalog.watching import RegistryWatch
from graph.clock import Clock
from graph.context.service import ContextService
from graph.cortex.actions.migrating import ActionMigrator
from graph.cortex.actions.moving import ActionMoves
from graph.cortex.actions.service import ActionService
from graph.cortex.actions.upserting import ActionUpserts
from graph.cortex.goals.linking import GoalEvidence
from graph.cortex.goals.moving import GoalMoves
from graph.cortex.goals.service import GoalService
from graph.cortex.goals.sharing import GoalSharing
from graph.cortex.goals.upserting import GoalUpserts
from graph.cortex.proposals.exporting import ProposalExports
from graph.cortex.proposals.merging import ProposalMerges
from graph.cortex.proposals.reviewing import ProposalReviews
from graph.cortex.proposals.service import ProposalService
from graph.cortex.proposals.submitting import ProposalSubmissions
from graph.cortex.questions.moving import QuestionMoves
from graph.cortex.questions.service import QuestionService
from graph.cortex.questions.upserting import QuestionUpserts
from graph.cortex.turns.committing import TurnEnds
from graph.cortex.turns.starting import TurnStarts
from graph.entities.service import EntityService
from graph.evaluation.service import EvaluationService
from graph.history.auditing import AuditService
from graph.history.reverting import RevertService
from graph.history.service import HistoryService
from graph.jobs.runner import JobRunner
from graph.metrics import Metrics
from graph.recall.service import RecallService
from graph.registry.service import RegistryService
from graph.scratch.service import ScratchService
from graph.scratch.sweeping import ObservationSweeper
from graph.settings import Settings
from graph.storage.schema import Migration
from graph.storage.unit_of_work import Database
from graph.summaries.service import SummaryService
from graph.turns.service import TurnService


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
