// The readable durable memories among some ids; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (m:Remembered&Memory {uid: uid})
WHERE m.scope_id IN $readable AND NOT coalesce(m.retained_until <= $now, false)
RETURN collect(m {
  // part: memory_fields(m)
}) AS items
