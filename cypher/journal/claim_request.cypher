// Claims an idempotency key; one row says whether this request is the first with the key, or has the first one's result.
// mode: write, returns: one, scope: organisation
CYPHER 25
CALL () {
  // One whose time is over does not answer, whether it was swept or not.
  MATCH (over:Request {org_id: $org_id, by_uid: $actor_id, key: $key})
  WHERE over.expires_at <= $now
  DETACH DELETE over
}
// Because of the uniqueness constraint, a second request with the key waits here until the first one ends.
MERGE (r:Request {org_id: $org_id, by_uid: $actor_id, key: $key})
  ON CREATE SET r.uid = $uid, r.name = $key, r.body_hash = $body_hash, r.scope_id = $scope_id, r.created_at = $now,
                r.expires_at = $expires_at
RETURN r.uid = $uid AS mine, r.body_hash AS body_hash, r.result AS result
