// The schema: the constraints and indexes of each area. `graph/node.py` says where the node classes declare them, too.
// An id (`uid`) begins with its time, so the order by id is oldest first, and its reverse newest first.
// `scope_id` is a space, `org_id` an organisation; `client_key` is a name that a client chose, once in a space.

// Organisations, actors (also Agent, Person or Device) and spaces. Keys are what tokens name; ids are what the graph uses.
CREATE CONSTRAINT organisation_uid IF NOT EXISTS FOR (n:Organisation) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT organisation_key IF NOT EXISTS FOR (n:Organisation) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT actor_uid IF NOT EXISTS FOR (n:Actor) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT actor_key IF NOT EXISTS FOR (n:Actor) REQUIRE (n.org_id, n.kind, n.key) IS UNIQUE;
CREATE CONSTRAINT space_uid IF NOT EXISTS FOR (n:Space) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT space_key IF NOT EXISTS FOR (n:Space) REQUIRE (n.org_id, n.key) IS UNIQUE;
// Locks of keys: evaluation locks the subjects of its decisions and not the space. Each space has the key `texts`, which all
// who store texts share, and which who forgets a text has alone.
CREATE CONSTRAINT key_lock IF NOT EXISTS FOR (n:KeyLock) REQUIRE (n.scope_id, n.key) IS UNIQUE;

// Memories: one label over all that is recalled, so that one full-text index and one vector index for each slot serve every
// search. Passages of long memories are memories to these indexes. Only what is live is found by text or vector:
// `searchable_in` is its scope until then, and absent after. The terms of a memory, its stems, are found beside its text.
CREATE CONSTRAINT memory_uid IF NOT EXISTS FOR (n:Memory) REQUIRE n.uid IS UNIQUE;
CREATE FULLTEXT INDEX memory_text IF NOT EXISTS FOR (n:Memory) ON EACH [n.content, n.terms, n.searchable_in, n.uid]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}};
// Vectors have two slots, a and b; which one searches use is one node. An index has no number of dimensions, so each slot
// takes the vectors of any encoder.
CYPHER 25 CREATE VECTOR INDEX memory_vector_a IF NOT EXISTS FOR (n:Memory) ON n.embedding_a
WITH [n.searchable_in, n.kind, n.expires_at]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}};
CYPHER 25 CREATE VECTOR INDEX memory_vector_b IF NOT EXISTS FOR (n:Memory) ON n.embedding_b
WITH [n.searchable_in, n.kind, n.expires_at]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}};
CREATE CONSTRAINT embedding_name IF NOT EXISTS FOR (n:Embedding) REQUIRE n.name IS UNIQUE;
// What has no vector in the slot that searches use.
CREATE INDEX unembedded_uid IF NOT EXISTS FOR (n:Unembedded) ON (n.uid);

// Durable memories share the label Remembered. One index lists a kind of a space, one finds equal texts.
CREATE CONSTRAINT remembered_client_key IF NOT EXISTS FOR (n:Remembered) REQUIRE (n.scope_id, n.client_key) IS UNIQUE;
CREATE INDEX remembered_kind IF NOT EXISTS FOR (n:Remembered) ON (n.scope_id, n.kind, n.live, n.uid);
CREATE INDEX remembered_text IF NOT EXISTS FOR (n:Remembered) ON (n.scope_id, n.text_key, n.uid);
// The least important episodes of a space are found when its room is short.
CREATE INDEX remembered_importance IF NOT EXISTS FOR (n:Remembered) ON (n.scope_id, n.kind, n.live, n.importance, n.uid);
// Memories of a turn that are kept for a time are found when it is over.
CREATE INDEX remembered_retained_until IF NOT EXISTS FOR (n:Remembered) ON (n.retained_until);
// A forgotten text does not come back.
CREATE CONSTRAINT tombstone_text IF NOT EXISTS FOR (n:Tombstone) REQUIRE (n.scope_id, n.text_key) IS UNIQUE;
// Messages go on where their conversation ended, and are read in order for the summary of the older ones. Conversations that
// have gone on are found by how much was said.
CREATE CONSTRAINT conversation_key IF NOT EXISTS FOR (n:Conversation) REQUIRE (n.scope_id, n.key) IS UNIQUE;
CREATE INDEX conversation_behind IF NOT EXISTS FOR (n:Conversation) ON (n.behind);
CREATE INDEX message_conversation IF NOT EXISTS FOR (n:Message) ON (n.scope_id, n.conversation, n.uid);

// Observations, one index for each way in.
CREATE CONSTRAINT observation_client_key IF NOT EXISTS FOR (n:Observation) REQUIRE (n.scope_id, n.client_key) IS UNIQUE;
CREATE INDEX observation_time IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.status, n.uid);
CREATE INDEX observation_update IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.status, n.updated_at, n.uid);
CREATE INDEX observation_goal_key IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.goal_key, n.uid);
CREATE INDEX observation_goal IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.context_goal_id, n.uid);
CREATE INDEX observation_turn IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.source_turn_id, n.uid);
CREATE INDEX observation_source IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.source_name, n.uid);
// Equal texts about the same person in a space are found by their key, oldest first.
CREATE INDEX observation_text IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.text_key, n.uid);
// What says the same of the same subject but for a number, a date, a unit or a negation: repeated or contradicted. With the
// id, so that the newest of a frame that thousands share come first without a look at all of them.
CREATE INDEX observation_frame IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.frame_key, n.uid);
// Those whose evaluation failed: the next turn of the space finds them and evaluates them.
CREATE INDEX observation_awaiting IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.awaits_since, n.uid);
// A job sweeps all spaces; a caller sweeps the spaces it may write to, and enters each at its own faded observations.
CREATE INDEX observation_expiry IF NOT EXISTS FOR (n:Observation) ON (n.status, n.expires_at);
CREATE INDEX observation_space_expiry IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.status, n.expires_at);
// Archived ones are deleted in the order in which they were archived.
CREATE INDEX observation_archived IF NOT EXISTS FOR (n:Observation) ON (n.archived_at, n.uid);

// Tags. A popular one is walked newest first and left as soon as the page is full.
CREATE CONSTRAINT tag_uid IF NOT EXISTS FOR (n:Tag) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT tag_key IF NOT EXISTS FOR (n:Tag) REQUIRE (n.scope_id, n.key) IS UNIQUE;
CREATE INDEX tagged_time IF NOT EXISTS FOR ()-[r:TAGGED]-() ON (r.tag_uid, r.memory_uid);
// Topics: what records are about, one node for each space and stem. A popular one is walked as a popular tag is.
CREATE CONSTRAINT topic_uid IF NOT EXISTS FOR (n:Topic) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT topic_key IF NOT EXISTS FOR (n:Topic) REQUIRE (n.scope_id, n.key) IS UNIQUE;
CREATE INDEX on_time IF NOT EXISTS FOR ()-[r:ON]-() ON (r.scope_id, r.topic_uid, r.from_uid);
// Entities: one for each organisation and folded name. Who may see one is decided by what mentions it. A popular one is walked
// newest first within a space.
CREATE CONSTRAINT entity_uid IF NOT EXISTS FOR (n:Entity) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT entity_key IF NOT EXISTS FOR (n:Entity) REQUIRE (n.org_id, n.key) IS UNIQUE;
CREATE INDEX mentions_time IF NOT EXISTS FOR ()-[r:MENTIONS]-() ON (r.scope_id, r.entity_uid, r.from_uid);
// The first spelling of an entity in a space is a node with a key, so that a new name does not lock the space.
CREATE CONSTRAINT name_uid IF NOT EXISTS FOR (n:Name) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT name_key IF NOT EXISTS FOR (n:Name) REQUIRE (n.scope_id, n.key) IS UNIQUE;

// Goals: by priority, in the order of creation and of the last change, and the oldest active one of a type.
CREATE CONSTRAINT goal_uid IF NOT EXISTS FOR (n:Goal) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT goal_client_key IF NOT EXISTS FOR (n:Goal) REQUIRE (n.scope_id, n.client_key) IS UNIQUE;
CREATE INDEX goal_priority IF NOT EXISTS FOR (n:Goal) ON (n.scope_id, n.status, n.priority_rank, n.uid);
CREATE INDEX goal_creation IF NOT EXISTS FOR (n:Goal) ON (n.scope_id, n.status, n.uid);
CREATE INDEX goal_update IF NOT EXISTS FOR (n:Goal) ON (n.scope_id, n.status, n.updated_at, n.uid);
CREATE INDEX goal_type IF NOT EXISTS FOR (n:Goal) ON (n.scope_id, n.goal_type, n.status, n.uid);
// Those that an actor created, and those for a person, most urgent first, without those of others in the same spaces.
CREATE INDEX goal_creator IF NOT EXISTS FOR (n:Goal) ON (n.scope_id, n.by_uid, n.status, n.priority_rank, n.uid);
CREATE INDEX goal_person IF NOT EXISTS FOR (n:Goal) ON (n.scope_id, n.person_id, n.status, n.priority_rank, n.uid);

// Guiding questions, most urgent first, and their stories.
CREATE CONSTRAINT question_uid IF NOT EXISTS FOR (n:Question) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT question_client_key IF NOT EXISTS FOR (n:Question) REQUIRE (n.scope_id, n.client_key) IS UNIQUE;
CREATE INDEX question_priority IF NOT EXISTS FOR (n:Question) ON (n.scope_id, n.status, n.priority_rank, n.uid);
CREATE CONSTRAINT story_uid IF NOT EXISTS FOR (n:Story) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT story_client_key IF NOT EXISTS FOR (n:Story) REQUIRE (n.scope_id, n.client_key) IS UNIQUE;
CREATE INDEX story_status IF NOT EXISTS FOR (n:Story) ON (n.scope_id, n.status, n.uid);

// Goals, questions and stories are found as memories are.
CREATE FULLTEXT INDEX plan_text IF NOT EXISTS FOR (n:Goal|Question|Story) ON EACH [n.content, n.terms, n.searchable_in, n.uid]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}};
CYPHER 25 CREATE VECTOR INDEX plan_vector_a IF NOT EXISTS FOR (n:Goal|Question|Story) ON n.embedding_a
WITH [n.searchable_in, n.kind]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}};
CYPHER 25 CREATE VECTOR INDEX plan_vector_b IF NOT EXISTS FOR (n:Goal|Question|Story) ON n.embedding_b
WITH [n.searchable_in, n.kind]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}};

// Actions: open ones by utility and by due time, those of one owner together.
CREATE CONSTRAINT pending_action_uid IF NOT EXISTS FOR (n:PendingAction) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT pending_action_client_key IF NOT EXISTS FOR (n:PendingAction) REQUIRE (n.scope_id, n.client_key) IS UNIQUE;
CREATE INDEX pending_action_status IF NOT EXISTS FOR (n:PendingAction) ON (n.scope_id, n.status, n.uid);
CREATE INDEX pending_action_utility IF NOT EXISTS FOR (n:PendingAction) ON (n.scope_id, n.open, n.owner, n.sort_key);
CREATE INDEX pending_action_due IF NOT EXISTS FOR (n:PendingAction) ON (n.scope_id, n.open, n.owner, n.due_key);
// A person finds what is theirs in whatever space it lies.
CREATE INDEX pending_action_person IF NOT EXISTS FOR (n:PendingAction) ON (n.person_id, n.open, n.sort_key);
CREATE INDEX pending_action_person_due IF NOT EXISTS FOR (n:PendingAction) ON (n.person_id, n.open, n.due_key);
// Open ones that are due, of one type together, and those that wait for an event.
CREATE INDEX pending_action_overdue IF NOT EXISTS FOR (n:PendingAction) ON (n.type, n.escalated, n.overdue_from);
CREATE INDEX pending_action_awaiting IF NOT EXISTS FOR (n:PendingAction) ON (n.awaiting, n.uid);
// Counts actions by type without reading a node; `failed` is whether a result ever said that the action failed.
CREATE INDEX pending_action_usage IF NOT EXISTS FOR (n:PendingAction) ON (n.scope_id, n.type, n.created_at, n.status, n.failed);

// An organisation's own action types, one definition of each id, and what the files of a registry said, one node for each
// version of each definition.
CREATE CONSTRAINT action_type_uid IF NOT EXISTS FOR (n:ActionType) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT action_type_id IF NOT EXISTS FOR (n:ActionType) REQUIRE (n.org_id, n.type_id) IS UNIQUE;
CREATE CONSTRAINT type_definition_version IF NOT EXISTS FOR (n:TypeDefinition) REQUIRE (n.registry, n.type_id, n.number) IS UNIQUE;
// Proposals to change the registry: by status in a space, those of all organisations that wait to be merged, a name once.
CREATE CONSTRAINT registry_proposal_uid IF NOT EXISTS FOR (n:RegistryProposal) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT registry_proposal_name IF NOT EXISTS FOR (n:RegistryProposal) REQUIRE (n.org_id, n.name_key) IS UNIQUE;
CREATE INDEX registry_proposal_status IF NOT EXISTS FOR (n:RegistryProposal) ON (n.scope_id, n.status, n.uid);
CREATE INDEX registry_proposal_merging IF NOT EXISTS FOR (n:RegistryProposal) ON (n.status, n.uid);

// Turns. Two actors of an organisation may choose the same key.
CREATE CONSTRAINT turn_uid IF NOT EXISTS FOR (n:Turn) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT turn_key IF NOT EXISTS FOR (n:Turn) REQUIRE (n.scope_id, n.key) IS UNIQUE;
CREATE INDEX turn_org_key IF NOT EXISTS FOR (n:Turn) ON (n.org_id, n.key);
CREATE INDEX turn_scope IF NOT EXISTS FOR (n:Turn) ON (n.scope_id, n.uid);
CREATE INDEX turn_status IF NOT EXISTS FOR (n:Turn) ON (n.scope_id, n.status, n.uid);
CREATE INDEX turn_open IF NOT EXISTS FOR (n:Turn) ON (n.status, n.uid);
CREATE CONSTRAINT trace_event_uid IF NOT EXISTS FOR (n:TraceEvent) REQUIRE n.uid IS UNIQUE;
CREATE INDEX trace_event_scope IF NOT EXISTS FOR (n:TraceEvent) ON (n.scope_id, n.uid);
// A receipt says what a context included. A job makes relationships of that.
CREATE CONSTRAINT context_receipt_uid IF NOT EXISTS FOR (n:ContextReceipt) REQUIRE n.uid IS UNIQUE;
CREATE INDEX context_receipt_expiry IF NOT EXISTS FOR (n:ContextReceipt) ON (n.expires_at);
CREATE INDEX context_receipt_link IF NOT EXISTS FOR (n:ContextReceipt) ON (n.link_at);
// What a turn's commit exports, and the parts of commits that failed.
CREATE CONSTRAINT state_export_uid IF NOT EXISTS FOR (n:StateExport) REQUIRE n.uid IS UNIQUE;
CREATE INDEX state_export_scope IF NOT EXISTS FOR (n:StateExport) ON (n.scope_id, n.uid);
CREATE CONSTRAINT pending_commit_uid IF NOT EXISTS FOR (n:PendingCommit) REQUIRE n.uid IS UNIQUE;
CREATE INDEX pending_commit_status IF NOT EXISTS FOR (n:PendingCommit) ON (n.scope_id, n.status, n.uid);

// Tools, their invocations by turn, tool, status and goal, and outcomes.
CREATE CONSTRAINT tool_key IF NOT EXISTS FOR (n:Tool) REQUIRE (n.scope_id, n.key) IS UNIQUE;
CREATE CONSTRAINT tool_invocation_uid IF NOT EXISTS FOR (n:ToolInvocation) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT tool_invocation_client_key IF NOT EXISTS FOR (n:ToolInvocation) REQUIRE (n.scope_id, n.client_key) IS UNIQUE;
CREATE INDEX tool_invocation_scope IF NOT EXISTS FOR (n:ToolInvocation) ON (n.scope_id, n.uid);
CREATE INDEX tool_invocation_tool IF NOT EXISTS FOR (n:ToolInvocation) ON (n.scope_id, n.tool, n.uid);
CREATE INDEX tool_invocation_status IF NOT EXISTS FOR (n:ToolInvocation) ON (n.scope_id, n.status, n.uid);
CREATE INDEX tool_invocation_goal IF NOT EXISTS FOR (n:ToolInvocation) ON (n.scope_id, n.goal_uid, n.uid);
CREATE CONSTRAINT outcome_uid IF NOT EXISTS FOR (n:Outcome) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT outcome_client_key IF NOT EXISTS FOR (n:Outcome) REQUIRE (n.scope_id, n.client_key) IS UNIQUE;
CREATE INDEX outcome_scope IF NOT EXISTS FOR (n:Outcome) ON (n.scope_id, n.uid);
CREATE INDEX outcome_success IF NOT EXISTS FOR (n:Outcome) ON (n.scope_id, n.success, n.uid);
// A lesson is learned once in its space; lessons about one subject are found together.
CREATE CONSTRAINT lesson_scope_id_lesson_key IF NOT EXISTS FOR (n:Lesson) REQUIRE (n.scope_id, n.lesson_key) IS UNIQUE;
CREATE INDEX lesson_scope_id_subject IF NOT EXISTS FOR (n:Lesson) ON (n.scope_id, n.subject);

// Sessions of working memory, and the texts that live in one session alone, found by their digest when they are forgotten.
CREATE CONSTRAINT session_uid IF NOT EXISTS FOR (n:Session) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT session_key IF NOT EXISTS FOR (n:Session) REQUIRE (n.scope_id, n.key) IS UNIQUE;
CREATE INDEX session_status IF NOT EXISTS FOR (n:Session) ON (n.scope_id, n.status, n.uid);
CREATE INDEX session_activity IF NOT EXISTS FOR (n:Session) ON (n.status, n.last_activity);
CREATE INDEX fragment_text IF NOT EXISTS FOR (n:Fragment) ON (n.scope_id, n.text_key);
// Sessions are related by what they share. A popular memory or goal is walked through its sessions alone, newest first, and
// left early.
CREATE INDEX session_uncorrelated IF NOT EXISTS FOR (n:Session) ON (n.uncorrelated_since);
CREATE INDEX session_digest IF NOT EXISTS FOR (n:Session) ON (n.digest_until);
CREATE INDEX holds_time IF NOT EXISTS FOR ()-[r:HOLDS]-() ON (r.scope_id, r.memory_uid, r.from_uid);
CREATE INDEX worked_on_time IF NOT EXISTS FOR ()-[r:WORKED_ON]-() ON (r.scope_id, r.goal_uid, r.from_uid);
// A checkpoint keeps what a session held; its name is unique in the session.
CREATE CONSTRAINT checkpoint_uid IF NOT EXISTS FOR (n:Checkpoint) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT checkpoint_key IF NOT EXISTS FOR (n:Checkpoint) REQUIRE (n.session_uid, n.key) IS UNIQUE;
// Accesses, which are deleted after their time.
CREATE CONSTRAINT access_log_uid IF NOT EXISTS FOR (n:AccessLog) REQUIRE n.uid IS UNIQUE;
CREATE INDEX access_log_session IF NOT EXISTS FOR (n:AccessLog) ON (n.session_uid, n.uid);
CREATE INDEX access_log_expires_at IF NOT EXISTS FOR (n:AccessLog) ON (n.expires_at);

// Versions of records, requests with an idempotency key, and summaries, each made once for what it is of.
CREATE CONSTRAINT version_uid IF NOT EXISTS FOR (n:Version) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT version_number IF NOT EXISTS FOR (n:Version) REQUIRE (n.of_uid, n.number) IS UNIQUE;
CREATE CONSTRAINT request_uid IF NOT EXISTS FOR (n:Request) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT request_key IF NOT EXISTS FOR (n:Request) REQUIRE (n.org_id, n.by_uid, n.key) IS UNIQUE;
CREATE INDEX request_expiry IF NOT EXISTS FOR (n:Request) ON (n.expires_at);
CREATE CONSTRAINT summary_uid IF NOT EXISTS FOR (n:Summary) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT summary_of IF NOT EXISTS FOR (n:Summary) REQUIRE (n.of_uid, n.kind, n.label) IS UNIQUE;

// Events. The audit log is read newest first, by whichever condition finds the fewest: each way in has its index.
CREATE INDEX outbox_event_time IF NOT EXISTS FOR (n:OutboxEvent) ON (n.scope_id, n.uid);
CREATE INDEX outbox_event_actor IF NOT EXISTS FOR (n:OutboxEvent) ON (n.scope_id, n.by_uid, n.uid);
CREATE INDEX outbox_event_type IF NOT EXISTS FOR (n:OutboxEvent) ON (n.scope_id, n.type, n.uid);
CREATE INDEX outbox_event_turn_uid IF NOT EXISTS FOR (n:OutboxEvent) ON (n.scope_id, n.turn_uid, n.uid);
CREATE INDEX outbox_event_aggregate IF NOT EXISTS FOR (n:OutboxEvent) ON (n.aggregate, n.uid);
// The relay takes the oldest events without a place, and earlier versions of their aggregates. No place is given twice; a
// caller reads the events of its spaces in their order.
CREATE INDEX unsequenced_uid IF NOT EXISTS FOR (n:Unsequenced) ON (n.uid);
CREATE INDEX unsequenced_aggregate IF NOT EXISTS FOR (n:Unsequenced) ON (n.aggregate, n.aggregate_version);
CREATE CONSTRAINT outbox_event_seq IF NOT EXISTS FOR (n:OutboxEvent) REQUIRE (n.org_id, n.seq) IS UNIQUE;
CREATE INDEX outbox_event_order IF NOT EXISTS FOR (n:OutboxEvent) ON (n.scope_id, n.seq);
CREATE CONSTRAINT event_counter_uid IF NOT EXISTS FOR (n:EventCounter) REQUIRE n.uid IS UNIQUE;
CREATE INDEX event_counter_org IF NOT EXISTS FOR (n:EventCounter) ON (n.org_id);
CREATE INDEX untold_org IF NOT EXISTS FOR (n:Untold) ON (n.org_id);
// The publisher looks for the organisations that have events which the broker does not have, and for events that it refuses
// for good.
CREATE INDEX event_counter_unpublished IF NOT EXISTS FOR (n:EventCounter) ON (n.unpublished, n.org_id);
CREATE INDEX dead_letter_uid IF NOT EXISTS FOR (n:DeadLetter) ON (n.uid);
// A named reader of events, and the place up to which it has acknowledged them.
CREATE CONSTRAINT event_consumer_uid IF NOT EXISTS FOR (n:EventConsumer) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT event_consumer_key IF NOT EXISTS FOR (n:EventConsumer) REQUIRE (n.scope_id, n.key) IS UNIQUE;

// Erasure. What is about a person is found by what an actor wrote in a space, which is also all that a space has.
CREATE INDEX checkpoint_author IF NOT EXISTS FOR (n:Checkpoint) ON (n.scope_id, n.by_uid);
CREATE INDEX context_receipt_author IF NOT EXISTS FOR (n:ContextReceipt) ON (n.scope_id, n.by_uid);
CREATE INDEX event_consumer_author IF NOT EXISTS FOR (n:EventConsumer) ON (n.scope_id, n.by_uid);
CREATE INDEX goal_author IF NOT EXISTS FOR (n:Goal) ON (n.scope_id, n.by_uid);
CREATE INDEX memory_author IF NOT EXISTS FOR (n:Memory) ON (n.scope_id, n.by_uid);
CREATE INDEX outcome_author IF NOT EXISTS FOR (n:Outcome) ON (n.scope_id, n.by_uid);
CREATE INDEX pending_action_author IF NOT EXISTS FOR (n:PendingAction) ON (n.scope_id, n.by_uid);
CREATE INDEX pending_commit_author IF NOT EXISTS FOR (n:PendingCommit) ON (n.scope_id, n.by_uid);
CREATE INDEX question_author IF NOT EXISTS FOR (n:Question) ON (n.scope_id, n.by_uid);
CREATE INDEX result_part_author IF NOT EXISTS FOR (n:ResultPart) ON (n.scope_id, n.by_uid);
CREATE INDEX session_author IF NOT EXISTS FOR (n:Session) ON (n.scope_id, n.by_uid);
CREATE INDEX state_export_author IF NOT EXISTS FOR (n:StateExport) ON (n.scope_id, n.by_uid);
CREATE INDEX story_author IF NOT EXISTS FOR (n:Story) ON (n.scope_id, n.by_uid);
CREATE INDEX summary_author IF NOT EXISTS FOR (n:Summary) ON (n.scope_id, n.by_uid);
CREATE INDEX tool_invocation_author IF NOT EXISTS FOR (n:ToolInvocation) ON (n.scope_id, n.by_uid);
CREATE INDEX turn_author IF NOT EXISTS FOR (n:Turn) ON (n.scope_id, n.by_uid);
CREATE INDEX version_scope IF NOT EXISTS FOR (n:Version) ON (n.scope_id, n.uid);
// And by what names somebody as its user, its speaker or its person.
CREATE INDEX goal_user IF NOT EXISTS FOR (n:Goal) ON (n.scope_id, n.user_id);
CREATE INDEX observation_user IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.user_id);
CREATE INDEX remembered_speaker IF NOT EXISTS FOR (n:Remembered) ON (n.scope_id, n.speaker);
CREATE INDEX session_person IF NOT EXISTS FOR (n:Session) ON (n.scope_id, n.person_id);
