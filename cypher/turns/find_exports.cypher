// The readable StateExports among some ids that are still kept; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (x:StateExport {uid: uid})
WHERE x.scope_id IN $readable AND x.uid >= $oldest
RETURN collect(x {
  // part: export_fields(x)
}) AS items
