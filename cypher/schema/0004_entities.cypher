// Entities: one per organisation and folded name. Who may see one is decided by what mentions it.
CREATE CONSTRAINT entity_uid IF NOT EXISTS FOR (n:Entity) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT entity_key IF NOT EXISTS FOR (n:Entity) REQUIRE (n.org_id, n.key) IS UNIQUE;
// A popular entity is walked newest first within a space, and left as soon as the page is full.
CREATE INDEX mentions_time IF NOT EXISTS FOR ()-[r:MENTIONS]-() ON (r.scope_id, r.entity_uid, r.from_uid);
// The names of a space in their order.
CREATE INDEX named_in_key IF NOT EXISTS FOR ()-[r:NAMED_IN]-() ON (r.scope_id, r.key);
