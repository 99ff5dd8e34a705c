// Who gave an action its present status, and when; at most one row.
// mode: read, returns: optional, scope: organisation
CYPHER 25
// The lock that comes before this statement has checked that the caller may write the action.
MATCH (v:Version)
USING INDEX SEEK v:Version(of_uid, number)
WHERE v.of_uid = $uid AND v.number > 0 AND v.org_id = $org_id AND 'status' IN v.fields
WITH v
ORDER BY v.of_uid DESC, v.number DESC
LIMIT 1
OPTIONAL MATCH (actor:Actor {uid: v.by_uid})
RETURN v.by_uid AS by_uid, actor.kind AS kind, actor.key AS key, toString(v.created_at) AS at
