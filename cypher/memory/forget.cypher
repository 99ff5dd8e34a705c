// Takes a mandate or capability back that has a certain version, with its next version; one row with the number written.
// mode: write
// scope: caller
// params: uid, writable, before, now, version
// returns: one
CYPHER 25
MATCH (m:Memory {uid: $uid})
WHERE m.scope_id IN $writable AND m.kind IN ['mandate', 'capability']
// This write locks the memory, so that the condition after it holds until the commit.
SET m.version = m.version
WITH m
WHERE m.version = $before AND m.live = true
SET m.live = false, m.version = $before + 1, m.updated_at = $now
REMOVE m.searchable_in
CREATE (v:Version)
SET v = $version
CREATE (v)-[:OF]->(m)
RETURN count(m) AS written
