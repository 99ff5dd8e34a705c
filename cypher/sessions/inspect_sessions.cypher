// Up to a number of sessions after one, as they are stored, by id; one row.
// mode: read
// scope: system - whoever runs the service checks the sessions of every organisation; texts are read for the strength of the focus alone
// params: after_uid, limit, required
// returns: one
CYPHER 25
MATCH (s:Session)
WHERE s.uid > $after_uid
WITH s
ORDER BY s.uid
LIMIT $limit
RETURN collect(
  // part: stored_session(s)
  {
    properties: properties(s),
    has_space: EXISTS { MATCH (space:Space) WHERE space.uid = s.scope_id AND space.org_id = s.org_id },
    slots: COLLECT {
      MATCH (s)-[h:HOLDS]->(m)
      WHERE h.until IS NULL OR any(name IN $required WHERE h[name] IS NULL)
      RETURN {
        ref: elementId(h), properties: properties(h), memory_uid: CASE WHEN m:Memory THEN m.uid END, org_id: m.org_id, is_fragment: m:Fragment,
        text: coalesce(m.content, '')
      }
      ORDER BY h.since, m.uid
    }
  }
  // end part
) AS sessions
