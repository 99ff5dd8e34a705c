// Appends turns, trace entries, events and the results of requests in the transaction of the change.
// mode: write
// scope: organisation
// params: org_id, actor_id, now, turns, traces, events, requests
// returns: none
CYPHER 25
CALL () {
  // `turns` is sorted, so that concurrent transactions lock the same turns in the same order.
  UNWIND $turns AS row
  MERGE (turn:Turn {scope_id: row.scope_id, key: row.key})
    ON CREATE SET turn.uid = row.uid, turn.org_id = $org_id, turn.name = row.name, turn.created_at = $now,
                  turn.by_uid = $actor_id, turn.updated_at = $now, turn.version = 1
}
CALL () {
  UNWIND $traces AS row
  CREATE (entry:TraceEvent {uid: row.uid, org_id: $org_id, scope_id: row.scope_id, name: row.name, created_at: $now,
                            by_uid: $actor_id, kind: row.kind, message: row.message, ids: row.ids,
                            details: row.details, turn_key: row.turn_key})
  WITH entry, row
  MATCH (turn:Turn {scope_id: row.turn_scope_id, key: row.turn_key})
  CREATE (turn)-[:LOGGED]->(entry)
}
CALL () {
  UNWIND $events AS row
  CREATE (:OutboxEvent:Unsequenced {uid: row.uid, org_id: $org_id, scope_id: row.scope_id, name: row.type,
                                    created_at: $now, by_uid: $actor_id, type: row.type, aggregate: row.aggregate,
                                    aggregate_version: row.aggregate_version, data: row.data, turn_key: row.turn_key})
}
CALL () {
  UNWIND $requests AS row
  MATCH (r:Request {org_id: $org_id, by_uid: $actor_id, key: row.key})
  SET r.result = row.result
}
FINISH
