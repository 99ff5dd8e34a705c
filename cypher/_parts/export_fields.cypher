// The fields of a StateExport.
// variables: x
.uid, .scope_id, .turn_uid, .body, .digest, created_at: toString(x.created_at), .by_uid
