// The readable mandates and capabilities among some ids; one row.
// mode: read
// scope: caller
// params: uids, readable
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (m:Memory {uid: uid})
WHERE m.scope_id IN $readable AND m.kind IN ['mandate', 'capability']
RETURN collect(m {.uid, .scope_id, .kind, .content, .essential, .created_at, .updated_at, .by_uid, .version, .live}) AS items
