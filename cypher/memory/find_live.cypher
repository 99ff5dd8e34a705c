// Those of some memories of the organisation that are active, whoever may read them; one row.
// mode: read, returns: one, scope: organisation - a goal stays blocked by a mandate that its reader may not read; only the ids are returned, which the caller has
CYPHER 25
UNWIND $uids AS uid
MATCH (m:Remembered&Memory {uid: uid})
WHERE m.org_id = $org_id AND m.live = true
WITH m ORDER BY m.uid
RETURN collect(m.uid) AS uids
