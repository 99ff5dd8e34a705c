// Counts the open actions of some types by type and status, in organisations without a definition of their own; one row.
// mode: read, returns: one, scope: system - operators learn whether a change of the files left actions behind
CYPHER 25
MATCH (space:Space)
USING INDEX SEEK space:Space(org_id, key)
WHERE space.org_id > '' AND space.key IS NOT NULL
CALL (space) {
  MATCH (a:PendingAction)
  USING INDEX SEEK a:PendingAction(scope_id, open, owner, sort_key)
  WHERE a.scope_id = space.uid AND a.open = true AND a.owner IN ['agent', 'user'] AND a.sort_key IS NOT NULL
    AND a.type IN $types
    AND NOT EXISTS { MATCH (t:ActionType {org_id: space.org_id, type_id: a.type}) WHERE t.definition IS NOT NULL }
  RETURN a.type AS type_id, a.status AS status, count(*) AS counted
}
WITH type_id, status, sum(counted) AS number
RETURN collect({type_id: type_id, status: status, number: number}) AS items
