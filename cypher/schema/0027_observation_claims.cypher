// What says something of the same thing in other words, with what can differ taken out. Observations without a claim are not in it.
CREATE INDEX observation_claim IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.claim_key, n.uid);
