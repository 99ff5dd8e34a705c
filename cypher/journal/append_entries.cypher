// Appends turns, trace entries, events and the results of requests in the transaction of the change, and links turns to what they wrote.
// mode: write, returns: none, scope: organisation
CYPHER 25
CALL () {
  // `turns` is sorted, so that concurrent transactions lock the same turns in the same order.
  UNWIND $turns AS row
  // part: turn_by_name(row, turn)
}
CALL () {
  UNWIND $traces AS row
  OPTIONAL MATCH (turn:Turn {scope_id: $home, key: row.turn_key})
  CREATE (entry:TraceEvent {uid: row.uid, org_id: $org_id, scope_id: row.scope_id, name: row.name, created_at: $now,
                            by_uid: $actor_id, kind: row.kind, message: row.message, ids: row.ids,
                            details: row.details, turn_uid: turn.uid})
  WITH entry, turn
  WHERE turn IS NOT NULL
  CREATE (turn)-[:LOGGED]->(entry)
}
CALL () {
  UNWIND $events AS row
  OPTIONAL MATCH (turn:Turn {scope_id: $home, key: row.turn_key})
  CREATE (:OutboxEvent:Unsequenced {uid: row.uid, org_id: $org_id, scope_id: row.scope_id, name: row.type,
                                    created_at: $now, by_uid: $actor_id, type: row.type, aggregate: row.aggregate,
                                    aggregate_version: row.aggregate_version, data: row.data, turn_uid: turn.uid})
}
CALL () {
  UNWIND $made AS row
  MATCH (turn:Turn {scope_id: $home, key: row.turn_key})
  MATCH (n:Memory|Goal|PendingAction|Question|Story|RegistryProposal|ActionType {uid: row.uid})
  // The change has locked the node, so no other transaction creates the same link; a MERGE would also lock the turn.
  WHERE NOT EXISTS { (turn)-[:MADE]->(n) }
  CREATE (turn)-[:MADE {since: $now, operation: row.operation}]->(n)
}
CALL () {
  // The change wrote its versions before the turn was known, with a mark in the place of the turn's id.
  UNWIND $versions AS row
  MATCH (turn:Turn {scope_id: $home, key: row.turn_key})
  MATCH (v:Version {of_uid: row.uid, number: row.number})
  WHERE v.turn_uid = row.mark
  SET v.turn_uid = turn.uid
}
CALL () {
  UNWIND $requests AS row
  MATCH (r:Request {org_id: $org_id, by_uid: $actor_id, key: row.key})
  SET r.result = row.result, r.body_hash = coalesce(row.body_hash, r.body_hash)
}
FINISH
