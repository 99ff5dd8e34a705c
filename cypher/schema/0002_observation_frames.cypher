// What says the same of the same subject but for a number, a date, a unit or a negation: repeated or contradicted.
// With the id, so that the newest of a frame that thousands share come first without looking at all of them.
CREATE INDEX observation_frame IF NOT EXISTS FOR (n:Observation) ON (n.scope_id, n.frame_key, n.uid);
