// Identity, the scratch page, goals and what is written beside every change.

// Actors (also Agent, Person or Device) and spaces. Keys are what tokens name; ids are what the graph uses.
CREATE CONSTRAINT organisation_uid IF NOT EXISTS FOR (n:Organisation) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT organisation_key IF NOT EXISTS FOR (n:Organisation) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT actor_uid IF NOT EXISTS FOR (n:Actor) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT actor_key IF NOT EXISTS FOR (n:Actor) REQUIRE (n.org_id, n.kind, n.key) IS UNIQUE;
CREATE CONSTRAINT space_uid IF NOT EXISTS FOR (n:Space) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT space_key IF NOT EXISTS FOR (n:Space) REQUIRE (n.org_id, n.key) IS UNIQUE;

// Memories: one label over everything recallable, so that one full-text index serves every search.
CREATE CONSTRAINT memory_uid IF NOT EXISTS FOR (n:Memory) REQUIRE n.uid IS UNIQUE;
// A memory is found by text only while it is live: `searchable_in` is its scope until then, absent after.
CREATE FULLTEXT INDEX memory_text IF NOT EXISTS FOR (n:Memory) ON EACH [n.content, n.searchable_in]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: false}};

// Observations, one index per way in. An id begins with its time, so ordering by id is newest first.
CREATE CONSTRAINT observation_client_key IF NOT EXISTS FOR (n:Observation) REQUIRE (n.scope_id, n.client_key) IS UNIQUE;
CREATE INDEX observation_time IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.status, n.uid);
CREATE INDEX observation_goal_key IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.goal_key, n.uid);
CREATE INDEX observation_goal IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.context_goal_id, n.uid);
CREATE INDEX observation_expiry IF NOT EXISTS FOR (n:Observation) ON (n.status, n.expires_at);
CREATE CONSTRAINT tag_key IF NOT EXISTS FOR (n:Tag) REQUIRE (n.scope_id, n.key) IS UNIQUE;
CREATE CONSTRAINT tag_uid IF NOT EXISTS FOR (n:Tag) REQUIRE n.uid IS UNIQUE;
// A popular tag is walked newest first and left as soon as the page is full.
CREATE INDEX tagged_time IF NOT EXISTS FOR ()-[r:TAGGED]-() ON (r.tag_uid, r.memory_uid);

// Mandates are read whole for every context.
CREATE INDEX mandate_scope IF NOT EXISTS FOR (n:Mandate) ON (n.scope_id, n.live);
CREATE INDEX capability_scope IF NOT EXISTS FOR (n:Capability) ON (n.scope_id, n.live);

// Goals and actions.
CREATE CONSTRAINT goal_uid IF NOT EXISTS FOR (n:Goal) REQUIRE n.uid IS UNIQUE;
CREATE INDEX goal_priority IF NOT EXISTS FOR (n:Goal) ON (n.scope_id, n.status, n.priority_rank, n.uid);
CREATE CONSTRAINT pending_action_uid IF NOT EXISTS FOR (n:PendingAction) REQUIRE n.uid IS UNIQUE;
CREATE INDEX pending_action_status IF NOT EXISTS FOR (n:PendingAction) ON (n.scope_id, n.status, n.uid);

// Turns and what is written beside every change.
CREATE CONSTRAINT turn_uid IF NOT EXISTS FOR (n:Turn) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT turn_key IF NOT EXISTS FOR (n:Turn) REQUIRE (n.scope_id, n.key) IS UNIQUE;
CREATE CONSTRAINT trace_event_uid IF NOT EXISTS FOR (n:TraceEvent) REQUIRE n.uid IS UNIQUE;
CREATE INDEX trace_event_scope IF NOT EXISTS FOR (n:TraceEvent) ON (n.scope_id, n.uid);
CREATE CONSTRAINT context_receipt_uid IF NOT EXISTS FOR (n:ContextReceipt) REQUIRE n.uid IS UNIQUE;
CREATE INDEX context_receipt_expiry IF NOT EXISTS FOR (n:ContextReceipt) ON (n.expires_at);
CREATE CONSTRAINT version_uid IF NOT EXISTS FOR (n:Version) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT version_number IF NOT EXISTS FOR (n:Version) REQUIRE (n.of_uid, n.number) IS UNIQUE;
CREATE CONSTRAINT outbox_event_uid IF NOT EXISTS FOR (n:OutboxEvent) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT request_uid IF NOT EXISTS FOR (n:Request) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT request_key IF NOT EXISTS FOR (n:Request) REQUIRE (n.org_id, n.by_uid, n.key) IS UNIQUE;
CREATE INDEX request_expiry IF NOT EXISTS FOR (n:Request) ON (n.expires_at);
