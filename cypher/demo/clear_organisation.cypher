// Deletes a batch of everything an organisation has, itself last; one row with how many are gone.
// mode: write, returns: one, scope: organisation
CYPHER 25
CALL () {
  MATCH (org:Organisation {key: $org_key})
  // A maintenance command: it may look at every node, nobody waits for a page.
  CALL (org) {
    MATCH (n)
    WHERE n.org_id = org.uid AND n <> org
    WITH n LIMIT $batch
    OPTIONAL MATCH (held:KeyLock {scope_id: n.uid, key: 'texts'})
    DETACH DELETE n, held
    RETURN count(*) AS others
  }
  FOREACH (_ IN CASE others WHEN 0 THEN [1] ELSE [] END | DETACH DELETE org)
  RETURN others + CASE others WHEN 0 THEN 1 ELSE 0 END AS deleted
}
RETURN sum(deleted) AS deleted
