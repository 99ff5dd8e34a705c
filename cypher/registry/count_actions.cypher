// Counts the actions of a type in an organisation by status, for each of some statuses that occurs; one row.
// mode: read, returns: one, scope: organisation
CYPHER 25
MATCH (space:Space)
WHERE space.org_id = $org_id AND space.key IS NOT NULL
UNWIND $statuses AS status
CALL (space, status) {
  MATCH (a:PendingAction)
  USING INDEX SEEK a:PendingAction(scope_id, status, uid)
  WHERE a.scope_id = space.uid AND a.status = status AND a.uid IS NOT NULL AND a.type = $type_id
  RETURN count(a) AS counted
}
WITH status, sum(counted) AS number
WHERE number > 0
RETURN collect({status: status, number: number}) AS items
