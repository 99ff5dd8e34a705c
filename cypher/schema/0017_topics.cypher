// What observations and goals are about are nodes, one for each space and stem. A step in Python links what was stored before.
CREATE CONSTRAINT topic_uid IF NOT EXISTS FOR (n:Topic) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT topic_key IF NOT EXISTS FOR (n:Topic) REQUIRE (n.scope_id, n.key) IS UNIQUE;
// A popular topic is walked newest first, through its goals or its observations alone, and left early.
CREATE INDEX on_time IF NOT EXISTS FOR ()-[r:ON]-() ON (r.scope_id, r.topic_uid, r.from_uid);
// The oldest active goal of a type, which an observation names by the type.
CREATE INDEX goal_type IF NOT EXISTS FOR (n:Goal) ON (n.scope_id, n.goal_type, n.status, n.uid);
