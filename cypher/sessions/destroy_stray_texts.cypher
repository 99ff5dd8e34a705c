// Destroys up to a number of texts of sessions that no active session holds; one row with their ids. No session ever holds one of them again.
// mode: write
// scope: system - whoever runs the service repairs the sessions of every organisation
// params: limit, now
// returns: one
CYPHER 25
CALL () {
  MATCH (m:Fragment)
  WHERE
    // part: is_stray(m)
    (m.live OR m.content <> '' OR m.text_key IS NOT NULL)
    AND NOT EXISTS { MATCH (m)<-[h:HOLDS]-(s:Session) WHERE h.until IS NULL AND s.status = 'active' }
    // end part
  RETURN m
  LIMIT $limit
}
// part: destroyed_text(m)
SET m.content = '', m.live = false, m.updated_at = $now, m.version = m.version + 1
REMOVE m.text_key, m.embedding_a, m.embedded_a, m.embedding_b, m.embedded_b, m:Unembedded
// end part
RETURN collect(m.uid) AS uids
