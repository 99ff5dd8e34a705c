// The summary of a conversation, and of its newest messages the topics, the names, and what their turns did with goals, actions and stories; one row, none without the conversation.
// mode: read, returns: optional, scope: caller
CYPHER 25
MATCH (c:Conversation {scope_id: $scope_id, key: $key})
WHERE c.scope_id IN $readable
CALL (c) {
  MATCH (m:Message)
  USING INDEX SEEK m:Message(scope_id, conversation, uid)
  WHERE m.scope_id = c.scope_id AND m.conversation = c.key AND m.uid IS NOT NULL AND m.live
  WITH m
  ORDER BY m.scope_id DESC, m.conversation DESC, m.uid DESC
  LIMIT $newest
  RETURN collect(m) AS said
}
CALL (said) {
  UNWIND said AS m
  MATCH (m)-[:ON]->(t:Topic)
  WITH t, collect(m.uid) AS uids
  RETURN collect({name: t.name, uids: uids}) AS topics
}
CALL (c, said) {
  UNWIND said AS m
  MATCH (m)-[:MENTIONS]->(e:Entity)
  WITH c, e, collect(DISTINCT m.uid) AS uids
  // Spellings belong to the space.
  WITH uids, head(COLLECT { MATCH (e)<-[:SPELLS]-(n:Name) WHERE n.scope_id = c.scope_id RETURN n.name ORDER BY n.name }) AS name
  WHERE name IS NOT NULL
  RETURN collect({name: name, uids: uids}) AS entities
}
CALL (said) {
  UNWIND said AS m
  MATCH (m)<-[:MADE]-(turn:Turn)
  WHERE turn.scope_id IN $readable
  RETURN collect(DISTINCT turn) AS turns
}
CALL (turns) {
  UNWIND turns AS turn
  MATCH (turn)-[made:MADE]->(n:Goal|PendingAction|Story)
  WHERE n.scope_id IN $readable AND n.created_at = made.since
  // The turn created it.
  RETURN collect({
    turn_uid: turn.uid, uid: n.uid, scope_id: n.scope_id, title: coalesce(n.title, n.narrative), at: toString(made.since)
  }) AS founded
}
CALL (turns) {
  UNWIND turns AS turn
  MATCH (turn)-[:MADE]->(n:Goal|PendingAction|Story)
  WHERE n.scope_id IN $readable
  WITH n, collect(turn.uid) AS uids
  MATCH (v:Version)
  USING INDEX SEEK v:Version(of_uid, number)
  WHERE v.of_uid = n.uid AND v.number > 1 AND v.turn_uid IN uids AND 'status' IN v.fields
  RETURN collect({
    turn_uid: v.turn_uid, uid: n.uid, scope_id: n.scope_id, title: coalesce(n.title, n.narrative), at: toString(v.created_at),
    changes: v.changes
  }) AS moved
}
RETURN head(COLLECT { MATCH (c)<-[:SUMMARISES]-(s:Summary) WHERE s.scope_id IN $readable RETURN s.text }) AS text,
       topics, entities, founded, moved
