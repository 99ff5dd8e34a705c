// Deletes a batch of what an import has written, and the note about it at last; a row with how many are gone, none if another process goes on with it.
// mode: write, returns: optional, scope: organisation
CYPHER 25
MATCH (marker:Importing {uid: 'import_' + $org_id})
WHERE marker.org_id = $org_id
SET marker.locked = true
WITH marker
WHERE marker.done = $before AND NOT EXISTS { (:Organisation {uid: $org_id}) }
// Nobody goes on with it from here.
SET marker.done = -1
WITH marker
CALL (marker) {
  // What has got its labels already is found by nothing else.
  MATCH (n)
  WHERE n.org_id = $org_id AND n <> marker
  WITH n LIMIT $batch
  DETACH DELETE n
  RETURN count(*) AS deleted
}
FOREACH (_ IN CASE deleted WHEN 0 THEN [1] ELSE [] END | DELETE marker)
RETURN deleted
