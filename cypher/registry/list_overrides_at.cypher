// An organisation's own action types as they were in force before a time, in order of type; one row.
// mode: read, returns: one, scope: organisation
CYPHER 25
MATCH (t:ActionType)
USING INDEX SEEK t:ActionType(org_id, type_id)
WHERE t.org_id = $org_id AND t.type_id IS NOT NULL
WITH t
ORDER BY t.org_id, t.type_id
CALL (t) {
  MATCH (v:Version)
  USING INDEX SEEK v:Version(of_uid, number)
  // Equal times in two notations of UTC are not equal as dates.
  WHERE v.of_uid = t.uid AND v.number > 0 AND v.created_at.epochMillis < $at.epochMillis AND 'definition' IN v.fields
  RETURN v.number AS number, v.changes AS changes
  ORDER BY v.of_uid DESC, v.number DESC
  LIMIT 1
}
RETURN collect({type_id: t.type_id, since: t.since, version: number, changes: changes}) AS items
