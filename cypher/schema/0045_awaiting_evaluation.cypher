// Observations whose evaluation failed: the next turn of the space finds them and evaluates them.
CREATE INDEX observation_awaiting IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.awaits_since, n.uid);
