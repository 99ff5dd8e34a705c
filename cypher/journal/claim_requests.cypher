// Claims several idempotency keys; one row says for each whether this request is the first, or has the first one's result.
// mode: write, returns: one, scope: organisation
CYPHER 25
CALL () {
  // One whose time is over does not answer, whether it was swept or not.
  UNWIND $rows AS row
  MATCH (over:Request {org_id: $org_id, by_uid: $actor_id, key: row.key})
  WHERE over.expires_at <= $now
  DETACH DELETE over
}
// `rows` is sorted, so that concurrent requests with the same keys wait for each other at the first key.
UNWIND $rows AS row
MERGE (r:Request {org_id: $org_id, by_uid: $actor_id, key: row.key})
  ON CREATE SET r.uid = row.uid, r.name = row.key, r.body_hash = row.body_hash, r.scope_id = $scope_id,
                r.created_at = $now, r.expires_at = $expires_at
  // Locks the request: what was refused may be tried again, by one at a time.
  ON MATCH SET r.name = row.key
RETURN collect({key: r.key, mine: r.uid = row.uid, body_hash: r.body_hash, result: r.result}) AS items
