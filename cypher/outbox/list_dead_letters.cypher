// A page of the events that the broker refused for good, oldest first, as they are published; one row.
// mode: read, returns: one, scope: system - an operator sees those of every organisation
CYPHER 25
CALL () {
  MATCH (e:DeadLetter)
  USING INDEX SEEK e:DeadLetter(uid)
  WHERE e.uid > $after AND ($uid IS NULL OR e.uid = $uid)
  RETURN e
  ORDER BY e.uid
  LIMIT $limit
}
MATCH (org:Organisation {uid: e.org_id})
WITH e, org ORDER BY e.uid
RETURN collect(e {
  .uid, .org_id, .seq, .scope_id, .type, .aggregate, .aggregate_version, .by_uid, .data, at: toString(e.created_at),
  // Whoever reads the stream gets the whole export; who may is decided in the broker.
  export: CASE WHEN e.type = 'turn.exported' THEN head(COLLECT { MATCH (x:StateExport {uid: e.aggregate}) RETURN x.body }) END,
  turn_key: head(COLLECT { MATCH (turn:Turn {uid: e.turn_uid}) RETURN coalesce(turn.former_key, turn.key) }),
  org_key: org.key, .dead_for, .dead_at, .dead_attempts, .dead_reason
}) AS items
