// The audit log is read newest first, by whichever condition finds the fewest: each way in has its index.
CREATE INDEX outbox_event_time IF NOT EXISTS FOR (n:OutboxEvent) ON (n.scope_id, n.uid);
CREATE INDEX outbox_event_actor IF NOT EXISTS FOR (n:OutboxEvent) ON (n.scope_id, n.by_uid, n.uid);
CREATE INDEX outbox_event_type IF NOT EXISTS FOR (n:OutboxEvent) ON (n.scope_id, n.type, n.uid);
CREATE INDEX outbox_event_turn IF NOT EXISTS FOR (n:OutboxEvent) ON (n.scope_id, n.turn_key, n.uid);
CREATE INDEX outbox_event_aggregate IF NOT EXISTS FOR (n:OutboxEvent) ON (n.aggregate, n.uid);
