// A named reader of events, and the place up to which it has acknowledged them.
CREATE CONSTRAINT event_consumer_uid IF NOT EXISTS FOR (n:EventConsumer) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT event_consumer_key IF NOT EXISTS FOR (n:EventConsumer) REQUIRE (n.scope_id, n.key) IS UNIQUE;
// Events that a broker refuses for good.
CREATE INDEX dead_letter_uid IF NOT EXISTS FOR (n:DeadLetter) ON (n.uid);
// The publisher looks for the organisations that have events which the broker does not have.
CREATE INDEX event_counter_unpublished IF NOT EXISTS FOR (n:EventCounter) ON (n.unpublished, n.org_id);
MATCH (counter:EventCounter) WHERE counter.unpublished IS NULL
SET counter.unpublished = true;
