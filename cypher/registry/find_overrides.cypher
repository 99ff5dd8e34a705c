// The readable ones of an organisation's own action types, by id; one row.
// mode: read
// scope: caller
// params: uids, readable
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (t:ActionType {uid: uid})
WHERE t.scope_id IN $readable
RETURN collect(t {
  // part: override_fields(t)
  .uid, .scope_id, .type_id, .definition, .draft, .revision, .by_uid, .version, since: toString(t.since),
  created_at: toString(t.created_at), updated_at: toString(t.updated_at)
  // end part
}) AS items
