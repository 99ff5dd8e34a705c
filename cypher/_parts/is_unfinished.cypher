// Whether a session holds a memory, or held it when it ended, and another one does not hold it.
// variables: s, h, m
(h.until IS NULL OR h.left_because = 'session_ended')
AND NOT m:Fragment AND m.live AND m.scope_id IN $readable AND m.expires_at > $now
AND NOT EXISTS { (s)-[held:HOLDS]->(m) WHERE held.until IS NULL }
