// Adds accesses to items that sessions still hold since the times at which they were admitted; one row with the number of items.
// mode: write, returns: one, scope: system - what several callers were shown is counted together
CYPHER 25
// `sessions` is sorted, so that concurrent transactions lock the same sessions in the same order.
UNWIND $sessions AS row
MATCH (s:Session {uid: row.uid})
// This write locks the session, so that no access is lost to an update that counts one too.
SET s.locked_at = $now
WITH s, row
UNWIND row.items AS item
MATCH (s)-[h:HOLDS]->(:Memory)
WHERE h.item_id = item.item_id AND h.since = item.since AND h.until IS NULL
SET h.access_count = h.access_count + item.number, h.last_access = CASE WHEN h.last_access < item.at THEN item.at ELSE h.last_access END
RETURN count(h) AS items
