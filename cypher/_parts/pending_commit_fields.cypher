// The fields of a part of a commit that failed.
// variables: p
.uid, .scope_id, .turn_uid, .turn_id, .store, .status, .attempts, .code, .payload, created_at: toString(p.created_at),
updated_at: toString(p.updated_at), .by_uid
