// Observations of a turn and from a source, newest first, and observations in the order of their last change.
CREATE INDEX observation_turn IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.source_turn_id, n.uid);
CREATE INDEX observation_source IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.source_name, n.uid);
CREATE INDEX observation_update IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.status, n.updated_at, n.uid);
// Goals in the order of their creation, and of their last change.
CREATE INDEX goal_creation IF NOT EXISTS FOR (n:Goal) ON (n.scope_id, n.status, n.uid);
CREATE INDEX goal_update IF NOT EXISTS FOR (n:Goal) ON (n.scope_id, n.status, n.updated_at, n.uid);
