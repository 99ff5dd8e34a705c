// The readable turns that created some nodes, one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
// The first event of a node is the one that created it. Thousands of turns may have changed the node since.
WITH uid, head(COLLECT {
  MATCH (e:OutboxEvent)
  USING INDEX SEEK e:OutboxEvent(aggregate, uid)
  WHERE e.aggregate = uid AND e.uid IS NOT NULL
  RETURN e {.type, .turn_uid}
  // Both properties, although one is constant here: only then does the planner use the order of the index.
  ORDER BY e.aggregate, e.uid
  LIMIT 1
}) AS first
CALL (uid, first) {
  WITH uid, first
  WHERE first.type IN $operations
  MATCH (turn:Turn {uid: first.turn_uid})
  RETURN turn
  UNION ALL
  // Retention has deleted the event: then the link of the turn says which one created the node.
  UNWIND CASE WHEN first IS NULL OR NOT first.type IN $operations THEN [uid] ELSE [] END AS of
  MATCH (n:Memory|Goal|PendingAction|Question|Story|RegistryProposal {uid: of})<-[made:MADE]-(turn:Turn)
  WHERE made.operation IN $operations
  RETURN turn
}
WITH uid, turn
WHERE turn.scope_id IN $readable
RETURN collect({of: uid, turn: turn {
  // part: turn_fields(turn)
}}) AS items
