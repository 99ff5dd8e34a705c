// An organisation's own action types, both in force and drafts, in order of type; one row.
// mode: read, returns: one, scope: organisation
CYPHER 25
MATCH (t:ActionType)
USING INDEX SEEK t:ActionType(org_id, type_id)
WHERE t.org_id = $org_id AND t.type_id IS NOT NULL
WITH t
ORDER BY t.org_id, t.type_id
RETURN collect(t {
  // part: override_fields(t)
}) AS items
