// Claims an idempotency key; tells whether this attempt is the first, or what the first one did.
// mode: write
// scope: organisation
// params: org_id, actor_id, key, uid, body_hash, scope_id, now, expires_at
// returns: one
CYPHER 25
// The uniqueness constraint makes a second request with the key wait here for the first to end.
MERGE (r:Request {org_id: $org_id, by_uid: $actor_id, key: $key})
  ON CREATE SET r.uid = $uid, r.name = $key, r.body_hash = $body_hash, r.scope_id = $scope_id, r.created_at = $now,
                r.expires_at = $expires_at
RETURN r.uid = $uid AS mine, r.body_hash AS body_hash, r.result AS result
