"""The use cases of every domain, grouped for the API."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from prefrontal.graph.access.service import AccessService
from prefrontal.graph.bootstrap.metrics import Metrics
from prefrontal.graph.bootstrap.traces import Traces
from prefrontal.graph.clock import Clock
from prefrontal.graph.config import Catalog
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.context.service import ContextService
from prefrontal.graph.cortex.actions.service import ActionService
from prefrontal.graph.cortex.actions.transitions import ActionTransitions
from prefrontal.graph.cortex.actions.type_migration import TypeMigration
from prefrontal.graph.cortex.actions.upsert import ActionUpserts
from prefrontal.graph.cortex.goals.evidence import GoalEvidence
from prefrontal.graph.cortex.goals.service import GoalService
from prefrontal.graph.cortex.goals.sharing import GoalSharing
from prefrontal.graph.cortex.goals.suggestions import GoalSuggestions
from prefrontal.graph.cortex.goals.transitions import GoalTransitions
from prefrontal.graph.cortex.goals.upsert import GoalUpserts
from prefrontal.graph.cortex.questions.service import QuestionService
from prefrontal.graph.cortex.questions.transitions import QuestionTransitions
from prefrontal.graph.cortex.questions.upsert import QuestionUpserts
from prefrontal.graph.embedding.service import EmbeddingService
from prefrontal.graph.entities.service import EntityService
from prefrontal.graph.erasure.service import ErasureService
from prefrontal.graph.evaluation.service import EvaluationService
from prefrontal.graph.history.audit import AuditService
from prefrontal.graph.history.revert import RevertService
from prefrontal.graph.history.service import HistoryService
from prefrontal.graph.jobs.runner import JobRunner
from prefrontal.graph.journal.batcher import Batcher
from prefrontal.graph.lessons.service import LessonService
from prefrontal.graph.memory.service import MemoryService
from prefrontal.graph.outbox.consumers import ConsumerService
from prefrontal.graph.outbox.publisher import Publisher
from prefrontal.graph.outbox.relay import Relay
from prefrontal.graph.outbox.service import EventService
from prefrontal.graph.outbox.status import OutboxOverview
from prefrontal.graph.outbox.stream import EventStreams
from prefrontal.graph.outbox.stream_positions import StreamPositions
from prefrontal.graph.outcomes.service import OutcomeService
from prefrontal.graph.registry.definitions import ActionTypes
from prefrontal.graph.registry.effective_types import EffectiveTypes
from prefrontal.graph.registry.files.service import DefinitionService
from prefrontal.graph.registry.overrides.service import OverrideService
from prefrontal.graph.registry.proposals.export import ProposalExports
from prefrontal.graph.registry.proposals.merge import ProposalMerges
from prefrontal.graph.registry.proposals.review import ProposalReviews
from prefrontal.graph.registry.proposals.service import ProposalService
from prefrontal.graph.registry.proposals.submission import ProposalSubmissions
from prefrontal.graph.registry.proposals.withdrawal import ProposalWithdrawals
from prefrontal.graph.registry.watch import RegistryWatch
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
from prefrontal.graph.storage.schema import Migration
from prefrontal.graph.storage.scopes import ScopeCheck
from prefrontal.graph.storage.unit_of_work import Database
from prefrontal.graph.summaries.conversation_reader import ConversationReader
from prefrontal.graph.summaries.service import SummaryService
from prefrontal.graph.text.encoder import Encoder
from prefrontal.graph.tools.service import ToolService
from prefrontal.graph.transfer.export import OrganisationExport
from prefrontal.graph.transfer.importing import OrganisationImport
from prefrontal.graph.turns.commit import TurnCommits
from prefrontal.graph.turns.finalization import TurnFinalization
from prefrontal.graph.turns.plans import PlanChecks
from prefrontal.graph.turns.start import TurnStarts
from prefrontal.graph.turns.trace import TurnTrace
from prefrontal.graph.turns.tracking import ToolTracking


@dataclass(frozen=True, slots=True)
class ScratchServices:
    """The scratch page (observations): a field for each module of use cases in `graph.scratch`."""

    service: ScratchService
    expiry: ObservationExpiry


@dataclass(frozen=True, slots=True)
class GoalServices:
    """Goals: a field for each module of use cases in `graph.cortex.goals`."""

    service: GoalService
    transitions: GoalTransitions
    evidence: GoalEvidence
    suggestions: GoalSuggestions
    upsert: GoalUpserts
    sharing: GoalSharing


@dataclass(frozen=True, slots=True)
class ActionServices:
    """Pending actions: a field for each module of use cases in `graph.cortex.actions`."""

    service: ActionService
    transitions: ActionTransitions
    upsert: ActionUpserts
    type_migration: TypeMigration


@dataclass(frozen=True, slots=True)
class QuestionServices:
    """Questions and stories: a field for each module of use cases in `graph.cortex.questions`."""

    service: QuestionService
    transitions: QuestionTransitions
    upsert: QuestionUpserts


@dataclass(frozen=True, slots=True)
class ProposalServices:
    """Registry proposals: a field for each module of use cases in `graph.registry.proposals`."""

    service: ProposalService
    submission: ProposalSubmissions
    review: ProposalReviews
    export: ProposalExports
    merge: ProposalMerges
    withdrawal: ProposalWithdrawals


@dataclass(frozen=True, slots=True)
class RegistryServices:
    """The action types: those of the files, those of each organisation, and the proposals to change them."""

    files: ActionTypes
    effective_types: EffectiveTypes
    watch: RegistryWatch
    definitions: DefinitionService
    overrides: OverrideService
    proposals: ProposalServices


@dataclass(frozen=True, slots=True)
class TurnServices:
    """Turns: a field for each module of use cases in `graph.turns`."""

    start: TurnStarts
    commit: TurnCommits
    finalization: TurnFinalization
    tracking: ToolTracking
    trace: TurnTrace
    plans: PlanChecks


@dataclass(frozen=True, slots=True)
class HistoryServices:
    """History: a field for each module of use cases in `graph.history`."""

    service: HistoryService
    audit: AuditService
    revert: RevertService


@dataclass(frozen=True, slots=True)
class OutboxServices:
    """Events: a field for each module of use cases in `graph.outbox`."""

    relay: Relay
    positions: StreamPositions
    events: EventService
    streams: EventStreams
    consumers: ConsumerService
    overview: OutboxOverview
    publisher: Publisher | None
    """None without a broker in the settings."""


@dataclass(frozen=True, slots=True)
class TransferServices:
    """Whole organisations as files: a field for each module of use cases in `graph.transfer`."""

    export: OrganisationExport
    importing: OrganisationImport


@dataclass(frozen=True, slots=True)
class Services:
    """All services that the API and the command line may call, with a field for each domain."""

    settings: Settings
    clock: Clock
    catalog: Catalog
    metrics: Metrics
    traces: Traces | None
    """None if the settings name no collector."""
    database: Database
    encoder: Encoder | None
    """None if the settings say `none`: then memories are found by their words alone."""
    migrations: tuple[Migration, ...]
    access: AccessService
    registry: RegistryServices
    scratch: ScratchServices
    entities: EntityService
    goals: GoalServices
    actions: ActionServices
    questions: QuestionServices
    evaluation: EvaluationService
    erasure: ErasureService
    memory: MemoryService
    lessons: LessonService
    sessions: SessionService
    session_correlations: SessionCorrelations
    session_monitor: SessionMonitor
    session_checkpoints: SessionCheckpoints
    access_log: AccessLog
    session_events: SessionEvents
    session_repair: SessionRepair
    session_bridging: SessionBridging
    embedding: EmbeddingService
    scopes: ScopeCheck
    search: SearchService
    context: ContextService
    tools: ToolService
    transfer: TransferServices
    outcomes: OutcomeService
    turns: TurnServices
    summaries: SummaryService
    conversations: ConversationReader
    outbox: OutboxServices
    history: HistoryServices
    jobs: JobRunner

    @property
    def batchers(self) -> tuple[Batcher[Any, Any], ...]:
        """What each process writes after its answers."""
        return self.sessions.accesses.batcher, self.access_log.batcher

    async def close(self) -> None:
        """Write what is not written yet of what was noted, and close all connections."""
        for each in self.batchers:
            await each.flush_last()
        if self.outbox.publisher is not None:
            await self.outbox.publisher.close()
        await self.database.driver.close()
        if self.traces is not None:
            await asyncio.to_thread(self.traces.close)
