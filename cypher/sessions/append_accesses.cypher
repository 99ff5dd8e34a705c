// Appends entries to the access log: each belongs to the session that it names, by its id in the organisation or by its key in the caller's space, else to the caller's space; one row with the number of entries.
// mode: write, returns: one, scope: system - accesses of several callers are written together
CYPHER 25
UNWIND $accesses AS row
OPTIONAL MATCH (by_uid:Session {uid: row.session})
WHERE by_uid.org_id = row.org_id
OPTIONAL MATCH (by_key:Session {scope_id: row.scope_id, key: row.session})
WITH row, coalesce(by_uid, by_key) AS s
// What was written by an attempt whose answer was lost is not written again.
MERGE (a:AccessLog {uid: row.properties.uid})
  ON CREATE SET a = row.properties, a.scope_id = coalesce(s.scope_id, row.scope_id), a.session_uid = coalesce(s.uid, row.properties.session_uid)
RETURN count(a) AS written
