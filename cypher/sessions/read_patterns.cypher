// How the caller's newest sessions of a time used what they held: numbers, and what was attended to most; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  UNWIND ['active', 'ended'] AS status
  CALL (status) {
    MATCH (s:Session)
    USING INDEX SEEK s:Session(scope_id, status, uid)
    WHERE
      // part: is_own(s)
      AND s.status = status AND s.uid >= $since AND s.uid < $upto
      AND ($session IS NULL OR s.uid = $session OR s.key = $session)
    RETURN s
    ORDER BY s.scope_id DESC, s.status DESC, s.uid DESC
    LIMIT $most
  }
  WITH s
  ORDER BY s.uid DESC
  LIMIT $most
  RETURN collect(s) AS sessions
}
CALL (sessions) {
  UNWIND sessions AS s
  RETURN sum(s.items_processed) AS offered, sum(coalesce(s.focus_changes, 0)) AS focus_changes,
    avg(CASE s.status WHEN 'active' THEN toFloat(s.items) / s.max_capacity END) AS load
}
CALL (sessions) {
  UNWIND sessions AS s
  MATCH (s)-[h:HOLDS]->(m:Memory)
  RETURN count(h) AS slots, sum(h.access_count) AS accesses, count(h.until) AS gone,
    sum(CASE WHEN h.until IS NOT NULL AND h.access_count = 0 THEN 1 ELSE 0 END) AS unused,
    avg(CASE WHEN h.until IS NOT NULL THEN (h.until.epochMillis - h.since.epochMillis) / 1000.0 END) AS mean_stay,
    sum(CASE WHEN EXISTS { MATCH (s)<-[:IN_SESSION]-(:Turn)-[:SAW]->(m) } THEN 1 ELSE 0 END) AS seen
}
CALL (sessions) {
  UNWIND sessions AS s
  MATCH (s)-[h:HOLDS]->(:Memory)
  WHERE h.left_because IS NOT NULL
  WITH h.left_because AS reason, count(h) AS items
  ORDER BY items DESC, reason
  RETURN collect({reason: reason, items: items}) AS reasons
}
CALL (sessions) {
  UNWIND sessions AS s
  MATCH (s)-[h:HOLDS]->(m:Memory)
  WHERE m.live AND m.scope_id IN $readable AND NOT m:Fragment AND
    // part: is_shown(h)
  WITH m, count(h) AS stays, sum(h.access_count) AS accesses
  ORDER BY accesses DESC, stays DESC, m.uid
  LIMIT $first
  RETURN collect({memory_uid: m.uid, stays: stays, accesses: accesses}) AS memories
}
CALL (sessions) {
  UNWIND sessions AS s
  MATCH (s)-[h:HOLDS]->(m:Memory)-[:MENTIONS {how: 'declared'}]->(e:Entity)
  WHERE m.live AND m.scope_id IN $readable AND
    // part: is_shown(h)
  WITH e.name AS name, count(h) AS stays, sum(h.access_count) AS accesses
  ORDER BY accesses DESC, stays DESC, name
  LIMIT $first
  RETURN collect({name: name, stays: stays, accesses: accesses}) AS entities
}
CALL (sessions) {
  UNWIND sessions AS s
  MATCH (s)-[c:CORRELATES_WITH]->(o:Session)
  WITH c, COUNT { MATCH (s)-[:HOLDS]->(m) RETURN DISTINCT m } AS held,
    COUNT { MATCH (s)-[:HOLDS]->(m)<-[:HOLDS]-(o) RETURN DISTINCT m } AS kept
  WITH c.relationship_type AS relationship_type, count(c) AS number, avg(c.correlation_score) AS correlation_score,
    avg(CASE WHEN held > 0 THEN toFloat(kept) / held END) AS preserved
  ORDER BY number DESC, relationship_type
  RETURN collect({
    relationship_type: relationship_type, number: number, correlation_score: correlation_score, preserved: preserved
  }) AS switches
}
RETURN size(sessions) AS sessions, offered, focus_changes, load, slots, accesses, gone, unused, mean_stay, seen, reasons, memories, entities, switches
