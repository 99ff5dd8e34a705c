"""Models of the tables under `registry/`; unknown keys and wrong values are refused."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from prefrontal.graph.config.lesson_tables import LessonsTable
from prefrontal.graph.config.outbox_tables import OutboxTable
from prefrontal.graph.config.roles import Roles
from prefrontal.graph.config.session_tables import (
    AdmissionTable,
    CapacityTable,
    CoherenceTable,
    CorrelationTable,
    EvictionTable,
)
from prefrontal.graph.config.table import Count, Name, Part, SumsToOne, Table, Weight, Word

Words = Annotated[frozenset[str], Field(strict=False)]


class RankingTable(Table):
    """`scratch.yaml`, key `ranking`: the bounds of ranking observations by a search text."""

    look: Count
    longest: Count
    most: Annotated[int, Field(ge=1, le=200)]
    words: Annotated[int, Field(ge=1, le=64)]


class ScratchTable(Table):
    """`scratch.yaml`: defaults and expiry of observations."""

    default_type: Annotated[str, Field(min_length=1)]
    default_confidence: Weight
    default_ttl_minutes: Annotated[float, Field(ge=0)]
    max_ttl_minutes: Annotated[float, Field(gt=0)]
    on_expiry: Literal["archive", "delete"]
    archive_days: Annotated[float, Field(ge=0)]
    query_timeout_ms: Count
    ranking: RankingTable


class RewordedTable(Table):
    """`contradiction.yaml`, key `reworded`: the words by which texts in different words are compared."""

    longest: Count
    light: tuple[Word, ...]
    links: tuple[Word, ...]
    placed: tuple[Word, ...]
    naming: tuple[Word, ...]
    prepositions: tuple[Word, ...]
    near: tuple[Word, ...]
    facing: tuple[tuple[Word, Word], ...]
    definite: tuple[Word, ...]
    indefinite: tuple[Word, ...]
    marks: tuple[Word, ...]
    open: tuple[Word, ...]
    denials: tuple[Word, ...]
    changes: tuple[Word, ...]
    months_after: tuple[Word, ...]
    clock_after: tuple[Word, ...]
    most: tuple[Word, ...]
    least: tuple[Word, ...]
    measures: Mapping[Word, str]
    dated: tuple[Word, ...]
    dayparts: tuple[Word, ...]
    placing: tuple[Word, ...]
    verbs: tuple[Word, ...]
    titles: tuple[Word, ...]
    of_one: tuple[Word, ...]
    shared_roles: tuple[Word, ...]
    single: tuple[Word, ...]
    attributes: tuple[Word, ...]
    strong: tuple[Word, ...]
    final: tuple[Word, ...]
    once: tuple[Word, ...]
    synonyms: tuple[tuple[Word, ...], ...]
    opposites: Mapping[Word, tuple[tuple[Word, ...], ...]]
    wide: tuple[Word, ...]
    regions: tuple[Word, ...]


class ContradictionTable(Table):
    """`contradiction.yaml`: the bounds and word lists of the contradiction detector."""

    ask: bool = False
    candidates: Count
    nearest: Count
    searches: Count
    longest: Count
    tolerance: Weight
    negations: tuple[Word, ...]
    narrowed: tuple[Word, ...]
    degrees: tuple[Word, ...]
    negated: Mapping[Word, Word]
    fillers: tuple[Word, ...]
    unsure: tuple[Word, ...]
    bounds: tuple[Word, ...]
    approximations: tuple[Word, ...]
    particular: tuple[Word, ...]
    states: tuple[Word, ...]
    holds: tuple[Word, ...]
    once: tuple[Word, ...]
    reporting: tuple[Word, ...]
    auxiliaries: tuple[Word, ...]
    occasions: tuple[Word, ...]
    labels: tuple[Word, ...]
    functions: tuple[Word, ...]
    past: Mapping[Word, Word]
    forms: Mapping[Word, Word]
    numbers: Mapping[Word, Annotated[int, Field(ge=0)]]
    magnitudes: Mapping[Word, Count]
    months: Mapping[Word, Annotated[int, Field(ge=1, le=12)]]
    weekdays: Mapping[Word, Annotated[int, Field(ge=1, le=7)]]
    units: Mapping[Word, Mapping[Word, Annotated[float, Field(gt=0)]]]
    offsets: Mapping[Word, float]
    currencies: tuple[Word, ...]
    reworded: RewordedTable

    @model_validator(mode="after")
    def units_exist(self) -> Self:
        """Refuse an offset of an unknown unit and a currency that is no dimension of `units`."""
        units = {unit for units in self.units.values() for unit in units}
        unknown = (set(self.offsets) - units) | (set(self.currencies) - set(self.units))
        if unknown:
            raise ValueError(f"not in units: {sorted(unknown)}")
        return self


class LineageTable(Table):
    """`goals.yaml`, key `lineage`: the largest depth and size of one lineage."""

    default_depth: Count
    max_depth: Annotated[int, Field(ge=1, le=20)]
    max_nodes: Count
    latest_per_goal: Count
    max_tree_depth: Annotated[int, Field(ge=1, le=20)]


class ProgressTable(Table):
    """`goals.yaml`, key `progress`: how much an observation advances a goal."""

    per_observation: Weight
    first_progress_status: Name


class TopicsTable(Table):
    """`goals.yaml`, key `topics`: how goals and observations are compared by topic."""

    most_goals: Count
    per_goal: Count
    per_observation: Count
    stop_words: str


class RelevanceTable(Table):
    """`goals.yaml`, key `relevance`: the weights of a goal's relevance; together at most 1."""

    priority: Weight
    status: Mapping[Name, Weight]
    progress: Weight

    @model_validator(mode="after")
    def stays_within_one(self) -> Self:
        """Refuse weights with which a relevance could exceed 1."""
        total = self.priority + max(self.status.values(), default=0) + self.progress
        if total > 1 + 1e-9:
            raise ValueError(f"priority, the highest status and progress sum to {total:g}, more than 1")
        return self


class SuggestionsTable(Table):
    """`goals.yaml`, key `suggestions`: how likely an observation speaks for a goal."""

    meaning: Weight
    topic: Weight
    entity: Weight
    named: Weight
    least: Weight
    most_topics: Count
    most_goals: Count
    most_mentions: Count


class GoalsTable(Table):
    """`goals.yaml`: priorities and statuses of goals."""

    priorities: Mapping[Name, Count]
    default_priority: Name
    statuses: tuple[Name, ...]
    active_statuses: tuple[Name, ...]
    initial_status: Name
    blocked_status: Name
    transitions: Mapping[Name, tuple[Name, ...]]
    progress: ProgressTable
    lineage: LineageTable
    topics: TopicsTable
    relevance: RelevanceTable
    suggestions: SuggestionsTable

    @model_validator(mode="after")
    def names_exist(self) -> Self:
        """Refuse a default priority or a status that is not in its list."""
        if self.default_priority not in self.priorities:
            raise ValueError(f"default_priority {self.default_priority!r} is not in priorities")
        named = {*self.active_statuses, self.initial_status, self.blocked_status}
        named.add(self.progress.first_progress_status)
        named |= set(self.relevance.status)
        named |= {*self.transitions, *(name for targets in self.transitions.values() for name in targets)}
        unknown = named - set(self.statuses)
        if unknown:
            raise ValueError(f"not in statuses: {sorted(unknown)}")
        return self


class StatusesTable(Table):
    """The statuses of questions or of stories, their transitions, and the statuses listed by default."""

    statuses: tuple[Name, ...]
    initial_status: Name
    listed_statuses: tuple[Name, ...]
    transitions: Mapping[Name, tuple[Name, ...]]

    @model_validator(mode="after")
    def names_exist(self) -> Self:
        """Refuse a status that is not in the list."""
        named = {self.initial_status, *self.listed_statuses, *self.transitions}
        named |= {name for targets in self.transitions.values() for name in targets}
        if unknown := named - set(self.statuses):
            raise ValueError(f"not in statuses: {sorted(unknown)}")
        return self


class QuestionsTable(Table):
    """`questions.yaml`: the statuses of questions and stories, and the largest size of one story."""

    questions: StatusesTable
    stories: StatusesTable
    acceptance_criteria: Count
    criterion_characters: Count
    evidence_refs: Count
    reference_characters: Count


class LimitsTable(Table):
    """`limits.yaml`: the largest sizes of inputs."""

    content_characters: Count
    title_characters: Count
    description_characters: Count
    key_characters: Count
    tag_characters: Count
    tags: Count
    entities: Count
    entity_characters: Count
    observations_per_call: Count
    evidence_per_goal: Count
    actions_per_goal: Count
    progress_deltas_per_call: Count
    changes_per_call: Count
    deltas_per_turn_end: Count
    list_items: Count
    metadata_characters: Count
    prompt_characters: Count
    remembered_per_call: Count
    action_type_overrides: Count
    proposal_entries: Count
    proposal_entry_characters: Count
    tool_result_characters: Count
    parameters_characters: Count


class CandidatesTable(Table):
    """`context.yaml`, key `candidates`: how many candidates of each kind are read."""

    counted: Count
    always: Mapping[Name, Count]
    goals: Count
    goals_read: Count
    actions: Count
    questions: Count
    steps_read: Count
    recent: Count
    conflicts: Count
    related_sessions: Count
    related: Count


class GoalScoreTable(Table):
    """`context.yaml`, key `goal_score`: the weights of a goal's score; they sum to 1."""

    urgency_weight: Weight
    relevance_weight: Weight
    full_relevance: Annotated[float, Field(gt=0, le=1)]
    """The share of the prompt's terms from which a goal counts as wholly relevant."""

    @model_validator(mode="after")
    def sums_to_one(self) -> Self:
        """Refuse weights that do not sum to 1."""
        if not math.isclose(self.urgency_weight + self.relevance_weight, 1.0):
            raise ValueError("the weights must sum to 1")
        return self


class ObservationScoreTable(Table):
    """`context.yaml`, key `observation_score`: the weights of an observation's score; they sum to 1."""

    relevance_weight: Weight
    recency_weight: Weight
    confidence_weight: Weight
    recency_half_life_hours: Annotated[float, Field(gt=0)]
    least_recency: Weight

    @model_validator(mode="after")
    def weights_sum_to_one(self) -> Self:
        """Refuse weights with which a score could leave 0–1."""
        total = self.relevance_weight + self.recency_weight + self.confidence_weight
        if not math.isclose(total, 1):
            raise ValueError(f"the weights must sum to 1, not {total:g}")
        return self


SectionName = Literal[
    "consciousness",
    "frontal_cortex",
    "episodic_memory",
    "semantic_memory",
    "conversation_history",
    "scratch_page",
]


class MemoryKindTable(Table):
    """`memory.yaml`, key `kinds`: how contexts show a kind of durable memory, and who writes it."""

    section: SectionName
    chosen: Literal["always", "matching", "recent"]
    maintained: bool = False
    half_life_hours: Annotated[float, Field(gt=0)] | None = None
    divided: bool = False
    spoken: bool = False
    least_confidence: Weight = 0.0


class PassagesTable(Table):
    """`memory.yaml`, key `passages`: from which size on a text is divided, and the size of its passages."""

    from_bytes: Count
    most_bytes: Annotated[int, Field(ge=100)]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.from_bytes < self.most_bytes:
            raise ValueError(f"a text of {self.from_bytes} bytes would be one passage")
        return self


class ExtractionTable(Table):
    """`memory.yaml`, key `extraction`: which words may be a known name, and how sure a mention by it is."""

    longest: Annotated[int, Field(ge=1, le=10)]
    least_rarity: Weight
    most: Count
    spelled_alike: Weight
    otherwise: Weight


class MemoryTable(Table):
    """`memory.yaml`: the kinds of durable memories."""

    kinds: Mapping[Name, MemoryKindTable]
    passages: PassagesTable
    extraction: ExtractionTable
    default_confidence: Weight
    embedding_deadline_ms: Annotated[int, Field(ge=0)]

    def chosen(self, *ways: str) -> list[str]:
        """Return the kinds whose memories become candidates in one of some ways."""
        return [kind for kind, table in self.kinds.items() if table.chosen in ways]

    @property
    def spoken(self) -> list[str]:
        """The kinds of what people say to each other."""
        return [kind for kind, table in self.kinds.items() if table.spoken]

    @property
    def least_confidence(self) -> dict[str, float]:
        """How sure a memory has to be to be in a context, by its kind, where a kind asks for something."""
        return {kind: table.least_confidence for kind, table in self.kinds.items() if table.least_confidence}


class StepsTable(Table):
    """`context.yaml`, key `steps`: which pending actions a context has."""

    soon_hours: Annotated[float, Field(gt=0, le=8760)]


class ContextTable(Table):
    """`context.yaml`: the sections, candidates and scores of an assembled context."""

    sections: tuple[SectionName, ...]
    max_budget: Count
    recent_items: Count
    floor: Weight
    near_best: Weight
    named: Weight
    name_rarity: Weight
    at_least: Mapping[SectionName, Count]
    shares: Mapping[SectionName, Weight]
    most_max_items: Count
    candidates: CandidatesTable
    observation_score: ObservationScoreTable
    held_relevance: Weight
    related_relevance: Weight
    goal_score: GoalScoreTable
    steps: StepsTable
    receipt_excluded: Count
    considered: Count

    @model_validator(mode="after")
    def every_section_once(self) -> Self:
        """Refuse a list that omits a section or names one twice."""
        if sorted(self.sections) != sorted(SectionName.__args__):  # type: ignore[attr-defined]
            raise ValueError("sections must name each section exactly once")
        return self


class SearchWeights(Table):
    """`search.yaml`, key `weights`: what the parts of a relevance weigh, in spreads of the encoder."""

    text: Part
    text_alone: Part
    neighbours: Weight
    conversation: Weight
    subject: Part
    time: Part
    doubt: Part
    identifier: Part
    numbered: Part
    other_identifier: Part


class QueryVectorTable(Table):
    """`search.yaml`, key `encoders`: the vector of a question for texts of one sort, and its cosines."""

    common: Weight
    """The share of what all questions have in common taken away (`graph/search/common_questions.py`)."""
    unrelated: Annotated[float, Field(ge=-1, lt=1)]
    """The mean of the cosines with unrelated texts, of what is left of the vector as long as it is then."""
    spread: Annotated[float, Field(gt=0, le=2)]
    """Their spread."""


class RerankerTable(Table):
    """`search.yaml`, key `encoders`: how the best notes are read again (`graph/search/reranking.py`)."""

    best: Annotated[int, Field(ge=0, le=20)]
    """How many notes are read; 0: none."""
    weight: Part
    most: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    """The greatest logit that counts, and the least one with a minus."""
    least: Annotated[float, Field(allow_inf_nan=False)] | None = None
    """Below which part `answer` a note is shown only if it is `sure`; None: below none."""
    changes: Annotated[float, Field(allow_inf_nan=False)] | None = None
    """Above which logit a note changes what an older one says; None: that is not asked."""


class Calibration(Table):
    """`search.yaml`: how likely a memory helps to answer: 1 / (1 + exp(-slope * (sum - middle)))."""

    middle: Part
    slope: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    floor: Weight
    """What is less relevant is not shown by default."""


class SortsTable(Table):
    """`search.yaml`, key `encoders`: how the relevance follows from the sum, by the sort of memory."""

    read: Calibration
    """Notes that were read again (`graph/search/reranking.py`)."""
    notes: Calibration
    """Other notes, goals, questions and stories."""
    speech: Calibration
    """What people say to each other."""


class AlikeTable(Table):
    """`search.yaml`, key `encoders`: which notes say nearly the same (`graph/search/newest_first.py`)."""

    relevance: Weight
    """How relevant each has to be."""
    cosine: Annotated[float, Field(ge=-1, le=1)]
    """How near it has to be to the best one."""
    changes: Annotated[float, Field(allow_inf_nan=False)] | None = None
    """Above which logit the newer of it and the best one changes the other; None: that is not asked."""


class EncoderTable(Table):
    """`search.yaml`, key `encoders`: how a question is looked for with an encoder."""

    notes: QueryVectorTable
    """Among notes, and among goals, questions and stories."""
    speech: QueryVectorTable | None = None
    """Among what people say to each other: the kinds of memories that are `spoken`. None: as among notes."""
    reranker: RerankerTable | None = None
    """How the best notes are read again; None: not at all."""
    relevance: SortsTable | None = None
    """How the relevance follows from the sum; None: as the closeness does."""
    alike: AlikeTable | None = None
    """Which notes are about the same thing; None: nothing is known of it."""

    @property
    def of_speech(self) -> QueryVectorTable:
        """How a question is looked for among what people say to each other."""
        return self.speech or self.notes


class ReplacementTable(Table):
    """`search.yaml`, key `replacement`: which older notes a newer one seems to replace."""

    notes: Count
    shared: Weight
    subjects: Count


class SearchBounds(Table):
    """`search.yaml`, key `bounds`: how much a search looks at."""

    pool: Count
    look: Count
    look_words: Count
    enough: Count
    keep: Count
    expand: Count
    rank_offset: Count
    hub: Count
    terms: Count
    names: Count
    name_words: Count
    deadline_ms: Count


class SearchTable(Table):
    """`search.yaml`: how relevant a memory is for a question, and from where on it answers it."""

    bounds: SearchBounds
    sure: Weight
    gap: Part
    weaker: Weight
    closeness: Calibration
    weights: SearchWeights
    encoders: Mapping[Annotated[str, Field(min_length=1)], EncoderTable]
    duplicate: Annotated[float, Field(gt=0, le=1)]
    past_words: Words
    conjunctions: Words
    copulas: Words
    clause: Weight
    replacement: ReplacementTable
    name_rarity: Weight
    nameless: Part
    roles: Words
    negations: Words
    common_words: tuple[str, ...]
    same_words: tuple[Words, ...]
    usual_questions: Annotated[tuple[str, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def has_default(self) -> Self:
        """Refuse a table without the constants of encoders that it does not name."""
        if "default" not in self.encoders:
            raise ValueError("encoders must have `default`, for encoders that are not named")
        return self

    def encoder(self, name: str) -> EncoderTable:
        """Return the constants of an encoder."""
        return self.encoders.get(name) or self.encoders["default"]


class ImportanceWeights(SumsToOne):
    """`evaluation.yaml`, key `weights`: the parts of importance; they sum to 1."""

    relevance_to_goals: Weight
    relevance_to_user: Weight
    confidence: Weight
    novelty: Weight
    actionability: Weight


class OperationalTable(Table):
    """`evaluation.yaml`, key `operational`: labels and phrases of notes about running systems, folded."""

    labels: Words
    phrases: tuple[str, ...]


class MeasurementTable(Table):
    """`evaluation.yaml`, key `measured`: the form of a measurement."""

    least_share: Weight
    units: Words
    bounds: Words


class PrototypesTable(Table):
    """`evaluation.yaml`, key `prototypes`: sentences of two kinds, twice."""

    calling: tuple[Word, ...]
    """Those that call for something."""
    not_calling: tuple[Word, ...]
    binding: tuple[Word, ...]
    """Those that bind whoever knows them: harm, a ban, a limit, a duty, a promise or a deadline."""
    not_binding: tuple[Word, ...]

    @property
    def sides(self) -> tuple[tuple[Word, ...], ...]:
        """The sentences of each kind."""
        return (self.calling, self.not_calling, self.binding, self.not_binding)


class JudgeTable(Table):
    """`evaluation.yaml`, key `judges`: how an encoder's vectors tell of which kind a note is."""

    ridge: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    calls_from: Annotated[float, Field(ge=-1, le=1)]
    binds_from: Annotated[float, Field(ge=-1, le=1)] = 0.0


class FirstActionTable(Table):
    """`evaluation.yaml`, key `first_action`: the first action of a goal that evaluation creates."""

    type: Name
    title: Annotated[str, Field(min_length=1)]


class EvaluationTable(Table):
    """`evaluation.yaml`: which observations become goals."""

    threshold: Weight
    min_importance: Weight
    weights: ImportanceWeights
    topic_relevance: Weight
    operational: OperationalTable
    measured: MeasurementTable
    about_user: Words
    actionable: Words
    binding: Words
    prototypes: PrototypesTable
    judges: Mapping[Annotated[str, Field(min_length=1)], JudgeTable]
    without_meaning: Words
    batch: Count
    review_page: Count
    most_per_review: Count
    first_action: FirstActionTable

    @model_validator(mode="after")
    def has_a_default_judge(self) -> Self:
        """Refuse a table without the constants of encoders that it does not name."""
        if "default" not in self.judges:
            raise ValueError("judges must have `default`, for encoders that are not named")
        return self

    def judge_of(self, encoder: str) -> JudgeTable:
        """Return the constants of an encoder."""
        return self.judges.get(encoder) or self.judges["default"]


class MandatesTable(Table):
    """`mandates.yaml`: the words by which mandates and plans are read."""

    openers: tuple[Word, ...]
    beginning: tuple[Word, ...]
    between: tuple[Word, ...]
    ending: tuple[Word, ...]
    allowed: tuple[Word, ...]
    asking: tuple[Word, ...]
    approvals: tuple[Word, ...]
    requiring: tuple[Word, ...]
    afterwards: tuple[Word, ...]
    conditions: Words
    reasons: tuple[Word, ...]
    ignored: Words
    undone: Words
    joining: tuple[Word, ...]
    resuming: tuple[Word, ...]
    turning: tuple[Word, ...]


class RetentionClassTable(Table):
    """`retention.yaml`, key `classes`: what of a turn is remembered, and for how many days."""

    days: Count | None
    importance: Weight
    confidence: Weight = 0.0
    actionability: Weight = 0.0


class RetentionClassesTable(Table):
    """`retention.yaml`, key `classes`: by the type of data (source 004, §Retention Policies)."""

    user_data: RetentionClassTable
    tool_results: RetentionClassTable
    observations: RetentionClassTable
    errors: RetentionClassTable
    events: RetentionClassTable


class RetentionTable(Table):
    """`retention.yaml`: how long what is written along with a change is kept, in days."""

    request_days: Count
    receipt_days: Count
    access_days: Count
    trace_days: Count
    invocation_days: Count
    event_days: Count | None
    export_days: Count
    classes: RetentionClassesTable
    episodes_per_space: Count | None


class TurnsTable(Table):
    """`turns.yaml`: when a turn is abandoned, how it is committed, and how results of tools are stored."""

    abandoned_after_hours: Annotated[float, Field(gt=0)]
    retries: Annotated[int, Field(ge=0, le=10)]
    retry_wait_ms: Annotated[float, Field(ge=0, le=1000)]
    recent_turns: Count
    compared_goals: Count
    settled_observations: Count
    pending_commits: Count
    summary_characters: Count
    result_part_characters: Count
    result_preview_characters: Count


class SummariesTable(Table):
    """`summaries.yaml`: when goals and conversations are summarised, and when logs are compacted."""

    goal_every_turns: Count
    goal_sentences: Count
    narrative_sentences: Count
    compact_after_days: Count
    conversation_every: Count
    conversation_newest: Count
    conversation_sentences: Count
    conversation_speakers: Count
    conversation_topics: Count
    conversation_decisions: Count
    conversation_read: Count
    batch: Count
    most_entries: Count
    most_messages: Count
    message_characters: Count
    quote_characters: Count
    name_characters: Count


class JobTable(Table):
    """One job in `jobs.yaml`."""

    every_seconds: Annotated[float, Field(gt=0)]
    lease_seconds: Annotated[int, Field(gt=0)]
    batch: Count


class JobsTable(Table):
    """`jobs.yaml`: the interval and the batch size of each periodic job."""

    expire_observations: JobTable
    link_included: JobTable
    delete_outdated: JobTable
    delete_archived: JobTable
    delete_traces: JobTable
    delete_events: JobTable
    escalate_actions: JobTable
    await_events: JobTable
    summarise_goals: JobTable
    compact_logs: JobTable
    summarise_conversations: JobTable
    end_idle_sessions: JobTable
    close_abandoned_turns: JobTable
    delete_invocations: JobTable
    delete_episodes: JobTable
    delete_exports: JobTable
    correlate_sessions: JobTable
    expire_digests: JobTable
    measure_sessions: JobTable
    count_items: JobTable
    embed_memories: JobTable
    renew_terms: JobTable
    relay_events: JobTable
    publish_events: JobTable


class Catalog(Table):
    """All tables of `registry/`; the action types are in `prefrontal.graph.registry.definitions`."""

    scratch: ScratchTable
    contradiction: ContradictionTable
    goals: GoalsTable
    questions: QuestionsTable
    limits: LimitsTable
    context: ContextTable
    memory: MemoryTable
    lessons: LessonsTable
    search: SearchTable
    mandates: MandatesTable
    retention: RetentionTable
    turns: TurnsTable
    summaries: SummariesTable
    jobs: JobsTable
    outbox: OutboxTable
    evaluation: EvaluationTable
    capacity: CapacityTable
    admission: AdmissionTable
    eviction: EvictionTable
    coherence: CoherenceTable
    correlation: CorrelationTable
    roles: Roles
