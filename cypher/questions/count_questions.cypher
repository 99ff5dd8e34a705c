// Counts the questions that have one of the statuses; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
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
  RETURN sum(matching) AS own
}
WITH own AS total
// only if $grantees
CALL () {
  // part: shared_goals(g)
  MATCH (g)<-[about:ABOUT WHERE about.until IS NULL]-(q:Question)
  WHERE q.scope_id = g.scope_id AND NOT q.scope_id IN $readable AND q.status IN $statuses AND ($space IS NULL OR q.scope_id = $space)
    AND ($owner IS NULL OR q.owner = $owner) AND all(tag IN $tag_keys WHERE tag IN q.tag_keys)
  RETURN count(DISTINCT q) AS shared
}
WITH total + shared AS total
// end only
RETURN total
