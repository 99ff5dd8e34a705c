// Links a question to another goal, or to none; the old link ends and stays as history. One row with what changed.
// mode: write, returns: one, scope: caller
CYPHER 25
MATCH (q:Question {uid: $uid})
WHERE q.scope_id IN $writable
CALL (q) {
  // A question is about one goal, so the old link ends even if the caller may not read the old goal.
  MATCH (q)-[old:ABOUT]->(g:Goal)
  WHERE old.until IS NULL AND ($goal_id IS NULL OR g.uid <> $goal_id)
  SET old.until = $now, old.by = $actor_id
  RETURN count(old) AS ended
}
CALL (q) {
  MATCH (g:Goal {uid: $goal_id})
  WHERE g.scope_id IN $readable
  CREATE (q)-[:ABOUT {since: $now, by: $actor_id}]->(g)
  RETURN count(g) AS made
}
RETURN ended, made
