// The readable goal with this id, for a question to be about; no row if there is none.
// mode: read, returns: optional, scope: caller
CYPHER 25
MATCH (g:Goal {uid: $goal_id})
WHERE g.scope_id IN $readable
  // part: shared(g) if $grantees
RETURN g.uid AS uid, g.scope_id IN $readable AS in_reach
