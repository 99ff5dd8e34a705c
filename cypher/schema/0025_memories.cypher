// All durable memories share the label Remembered: one index lists a kind of a space, one finds equal texts.
MATCH (m:Mandate|Capability) WHERE m.text_key IS NULL
CALL (m) {
  SET m.text_key = m.uid, m.status = CASE WHEN m.live THEN 'active' ELSE 'forgotten' END, m.tags = [], m.derived_from = [],
      m.happened_at = m.created_at, m:Remembered
} IN TRANSACTIONS OF 1000 ROWS;
CREATE INDEX remembered_kind IF NOT EXISTS FOR (n:Remembered) ON (n.scope_id, n.kind, n.live, n.uid);
CREATE INDEX remembered_text IF NOT EXISTS FOR (n:Remembered) ON (n.scope_id, n.text_key, n.uid);
CREATE CONSTRAINT remembered_client_key IF NOT EXISTS FOR (n:Remembered) REQUIRE (n.scope_id, n.client_key) IS UNIQUE;
DROP INDEX mandate_scope IF EXISTS;
DROP INDEX capability_scope IF EXISTS;
// Messages go on where their conversation ended; a forgotten text does not come back.
CREATE CONSTRAINT conversation_key IF NOT EXISTS FOR (n:Conversation) REQUIRE (n.scope_id, n.key) IS UNIQUE;
CREATE CONSTRAINT tombstone_text IF NOT EXISTS FOR (n:Tombstone) REQUIRE (n.scope_id, n.text_key) IS UNIQUE;
