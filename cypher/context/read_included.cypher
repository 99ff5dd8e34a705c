// The current content of the items of a receipt, as candidates for a context; one row.
// mode: read
// scope: caller
// params: uids, readable
// returns: one
CYPHER 25
CALL () {
  UNWIND $uids AS uid
  MATCH (m:Memory {uid: uid})
  WHERE m.scope_id IN $readable
  RETURN collect(m {.uid, .scope_id, .by_uid, .kind, .content, .essential, .confidence, .created_at, .happened_at, .speaker}) AS memory_items
}
CALL () {
  UNWIND $uids AS uid
  MATCH (g:Goal {uid: uid})
  WHERE g.scope_id IN $readable
  CALL (g) {
    // part: titles_above(g)
    MATCH p = (g) ((x:Goal)-[link:CHILD_OF]->(y:Goal) WHERE link.until IS NULL AND y.scope_id IN $readable){1,5} (higher:Goal)
    WITH higher, length(p) AS distance
    ORDER BY distance
    WITH collect(higher.title) AS above
    // end part
    RETURN above
  }
  RETURN collect(g {.uid, .scope_id, .by_uid, .title, .description, .priority, .priority_rank, .status, .progress, above: above}) AS goal_items
}
RETURN memory_items, goal_items
