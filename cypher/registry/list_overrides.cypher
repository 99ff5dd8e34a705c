// An organisation's own action types, both in force and drafts, in order of type; one row.
// mode: read
// scope: organisation
// params: org_id
// returns: one
CYPHER 25
MATCH (t:ActionType)
USING INDEX SEEK t:ActionType(org_id, type_id)
WHERE t.org_id = $org_id AND t.type_id IS NOT NULL
WITH t
ORDER BY t.org_id, t.type_id
RETURN collect(t {
  // part: override_fields(t)
  .uid, .scope_id, .type_id, .definition, .draft, .revision, .by_uid, .version, since: toString(t.since),
  created_at: toString(t.created_at), updated_at: toString(t.updated_at)
  // end part
}) AS items
