// The readable observations among some ids; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (o:Observation&Memory {uid: uid})
WHERE o.scope_id IN $readable
RETURN collect(o {
  // part: observation_fields(o)
}) AS items
