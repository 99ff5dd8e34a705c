// The readable StateExports among some ids that are still kept; one row.
// mode: read
// scope: caller
// params: uids, readable, oldest
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (x:StateExport {uid: uid})
WHERE x.scope_id IN $readable AND x.uid >= $oldest
RETURN collect(x {
  // part: export_fields(x)
  .uid, .scope_id, .turn_uid, .body, .digest, created_at: toString(x.created_at), .by_uid
  // end part
}) AS items
