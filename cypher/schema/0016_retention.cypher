// The audit log finds events by the indexes of migration 0010. These two have no reader any more, and every event paid for them.
DROP CONSTRAINT outbox_event_uid IF EXISTS;
DROP INDEX outbox_event_of IF EXISTS;
// Archived observations are deleted in the order in which they were archived.
CREATE INDEX observation_archived IF NOT EXISTS FOR (n:Observation) ON (n.archived_at, n.uid);
// What a turn saw goes with its receipt; receipts that went before left it behind.
MATCH (t:Turn)-[saw:SAW]->() WHERE NOT EXISTS { MATCH (t)-[:RECEIVED]->(r:ContextReceipt) WHERE r.uid = saw.receipt_uid }
CALL (saw) { DELETE saw } IN TRANSACTIONS OF 1000 ROWS;
