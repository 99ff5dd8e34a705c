// Equal texts about the same person in a space are found by their key, oldest first.
CREATE INDEX observation_text IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.text_key, n.uid);
