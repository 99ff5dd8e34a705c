// The current content of the items of a receipt, as candidates for a context; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  UNWIND $uids AS uid
  MATCH (m:Memory {uid: uid})
  // A text that lived in a session alone is gone once it has left.
  WHERE m.scope_id IN $readable AND m.org_id = $org_id AND (m.live OR NOT m:Fragment)
  RETURN collect(m {
    .uid, .scope_id, .by_uid, .kind, .content, .essential, .speaker,
    at: toString(coalesce(m.happened_at, m.created_at)),
    confidence: CASE WHEN m:Fragment THEN head(COLLECT { MATCH (m)<-[h:HOLDS]-(:Session) RETURN h.confidence }) ELSE m.confidence END
  }) AS memory_items
}
CALL () {
  UNWIND $uids AS uid
  MATCH (g:Goal {uid: uid})
  WHERE g.scope_id IN $readable AND g.org_id = $org_id
  CALL (g) {
    // part: titles_above(g)
    RETURN above
  }
  RETURN collect(g {.uid, .scope_id, .by_uid, .title, .description, .priority, .priority_rank, .status, .progress, above: above}) AS goal_items
}
CALL () {
  UNWIND $uids AS uid
  MATCH (a:PendingAction {uid: uid})
  WHERE a.scope_id IN $readable AND a.org_id = $org_id
  RETURN collect(a {
    // part: next_action(a)
  }) AS action_items
}
CALL () {
  UNWIND $uids AS uid
  MATCH (q:Question {uid: uid})
  WHERE q.scope_id IN $readable AND q.org_id = $org_id
  RETURN collect(q {
    // part: next_question(q)
  }) AS question_items
}
CALL () {
  UNWIND $uids AS uid
  MATCH (s:Story {uid: uid})
  WHERE s.scope_id IN $readable AND s.org_id = $org_id
  RETURN collect(s {.uid, .scope_id, .by_uid, .narrative, .status, .question_id}) AS story_items
}
CALL () {
  UNWIND $uids AS uid
  MATCH (s:Summary {uid: uid})
  WHERE s.scope_id IN $readable AND s.org_id = $org_id
  RETURN collect(s {.uid, .scope_id, .by_uid, .text, .seen_until}) AS summary_items
}
RETURN memory_items, goal_items, action_items, question_items, story_items, summary_items
