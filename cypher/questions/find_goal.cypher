// The readable goal of this id that a question may be about, if there is one.
// mode: read
// scope: caller
// params: goal_id, readable
// returns: optional
CYPHER 25
MATCH (g:Goal {uid: $goal_id})
WHERE g.scope_id IN $readable
RETURN g.uid AS uid
