// Counts the questions that have one of the statuses; one row.
// mode: read
// scope: caller
// params: readable, space, statuses, owner, tag_keys
// returns: one
CYPHER 25
UNWIND $readable AS scope_id
WITH scope_id WHERE $space IS NULL OR scope_id = $space
UNWIND $statuses AS status
CALL (scope_id, status) {
  MATCH (q:Question)
  USING INDEX SEEK q:Question(scope_id, status, priority_rank, uid)
  // The index is used only if every one of its properties has a condition, hence the last two.
  WHERE q.scope_id = scope_id AND q.status = status AND q.priority_rank IS NOT NULL AND q.uid IS NOT NULL
    AND ($owner IS NULL OR q.owner = $owner) AND all(tag IN $tag_keys WHERE tag IN q.tag_keys)
  RETURN count(q) AS matching
}
RETURN sum(matching) AS total
