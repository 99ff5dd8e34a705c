// How many questions about some goals have one of the statuses, one row.
// mode: read
// scope: caller
// params: goal_ids, readable, statuses, owner, tag_keys
// returns: one
CYPHER 25
UNWIND $goal_ids AS goal_id
MATCH (g:Goal {uid: goal_id})<-[about:ABOUT]-(q:Question)
WHERE about.until IS NULL AND g.scope_id IN $readable AND q.scope_id IN $readable AND q.status IN $statuses
  AND ($owner IS NULL OR q.owner = $owner) AND all(tag IN $tag_keys WHERE tag IN q.tag_keys)
RETURN count(q) AS total
