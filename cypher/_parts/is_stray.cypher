// Whether a text that lives in a session was left behind: no active session holds it, and it was not destroyed.
// variables: m
(m.live OR m.content <> '' OR m.text_key IS NOT NULL)
AND NOT EXISTS { MATCH (m)<-[h:HOLDS]-(s:Session) WHERE h.until IS NULL AND s.status = 'active' }
