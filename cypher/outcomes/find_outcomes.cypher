// The readable outcomes among some ids; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (o:Outcome {uid: uid})
WHERE o.scope_id IN $readable
RETURN collect(o {
  // part: outcome_fields(o)
}) AS items
