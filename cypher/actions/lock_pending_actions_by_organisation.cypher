// Locks some pending actions of any organisation, so that none changes before the commit; one row.
// mode: write, returns: one, scope: system - jobs serve every organisation
CYPHER 25
// The store has sorted the ids: two changes of the same actions wait for each other instead of deadlocking.
UNWIND $uids AS uid
MATCH (a:PendingAction {uid: uid})
SET a.locked_at = $now
WITH a
RETURN collect(a {
  // part: action_fields(a)
  , .org_id,
  // Whose the action becomes if it is handed to the user: the person whose goal it is for, or whose private space it is in.
  heir: coalesce(
    head(COLLECT { MATCH (a)-[:ADVANCES]->(:Goal)-[:FOR]->(p:Actor) WHERE p.kind = 'person' RETURN p.uid ORDER BY p.uid }),
    head(COLLECT {
      MATCH (s:Space {uid: a.scope_id})<-[:MAY]-(p:Actor)
      WHERE p.home_id = s.uid AND p.kind = 'person'
      RETURN p.uid
    })
  )
}) AS items
