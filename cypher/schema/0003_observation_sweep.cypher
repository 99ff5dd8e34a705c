// A caller sweeps the spaces it may write to: each is entered at its own faded observations.
CREATE INDEX observation_space_expiry IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.status, n.expires_at);
