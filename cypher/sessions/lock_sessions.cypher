// Locks sessions until the commit and returns them as they are stored; one row.
// mode: write
// scope: system - whoever runs the service repairs the sessions of every organisation
// params: uids, required, now
// returns: one
CYPHER 25
// `uids` is sorted, so that concurrent transactions lock the same sessions in the same order.
UNWIND $uids AS uid
MATCH (s:Session {uid: uid})
// This write locks the session: an update waits for the repair, and the other way round.
SET s.locked_at = $now
WITH s
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
