// The readable goal with this id, for a question to be about; no row if there is none.
// mode: read
// scope: caller
// params: goal_id, readable
// returns: optional
CYPHER 25
MATCH (g:Goal {uid: $goal_id})
WHERE g.scope_id IN $readable
RETURN g.uid AS uid
