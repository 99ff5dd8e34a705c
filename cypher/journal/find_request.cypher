// The hash of the body and the result that are stored under an idempotency key of an actor; no row if it was not used, or its time is over.
// mode: read, returns: optional, scope: organisation
CYPHER 25
MATCH (r:Request {org_id: $org_id, by_uid: $actor_id, key: $key})
WHERE r.expires_at > $now
RETURN r.body_hash AS body_hash, r.result AS result
