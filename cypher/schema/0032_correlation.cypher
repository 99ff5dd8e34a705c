// Sessions are related by what they share: topics, goals and memories.
CREATE INDEX session_uncorrelated IF NOT EXISTS FOR (n:Session) ON (n.uncorrelated_since);
CREATE INDEX session_digest IF NOT EXISTS FOR (n:Session) ON (n.digest_until);
// A popular memory or goal is walked through its sessions alone, newest first, and left early.
MATCH (s:Session)-[h:HOLDS]->(m:Memory) WHERE h.from_uid IS NULL
CALL (s, h, m) { SET h.from_uid = s.uid, h.scope_id = s.scope_id, h.memory_uid = m.uid } IN TRANSACTIONS OF 1000 ROWS;
CREATE INDEX holds_time IF NOT EXISTS FOR ()-[r:HOLDS]-() ON (r.scope_id, r.memory_uid, r.from_uid);
CREATE INDEX worked_on_time IF NOT EXISTS FOR ()-[r:WORKED_ON]-() ON (r.scope_id, r.goal_uid, r.from_uid);
