// The readable ones of an organisation's own action types, by id; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (t:ActionType {uid: uid})
WHERE t.scope_id IN $readable
RETURN collect(t {
  // part: override_fields(t)
}) AS items
