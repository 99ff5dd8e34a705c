// The relay takes the oldest events without a place, and earlier versions of their aggregates.
CREATE INDEX unsequenced_uid IF NOT EXISTS FOR (n:Unsequenced) ON (n.uid);
CREATE INDEX unsequenced_aggregate IF NOT EXISTS FOR (n:Unsequenced) ON (n.aggregate, n.aggregate_version);
// No place is given twice; a caller reads the events of its spaces in their order.
CREATE CONSTRAINT outbox_event_seq IF NOT EXISTS FOR (n:OutboxEvent) REQUIRE (n.org_id, n.seq) IS UNIQUE;
CREATE INDEX outbox_event_order IF NOT EXISTS FOR (n:OutboxEvent) ON (n.scope_id, n.seq);
CREATE CONSTRAINT event_counter_uid IF NOT EXISTS FOR (n:EventCounter) REQUIRE n.uid IS UNIQUE;
CREATE INDEX event_counter_org IF NOT EXISTS FOR (n:EventCounter) ON (n.org_id);
CREATE INDEX untold_org IF NOT EXISTS FOR (n:Untold) ON (n.org_id);
