// Creates nodes of an organisation that is being imported, still without their labels, and notes how far it is. Spaces alone have theirs: the check of scopes asks for them.
// mode: write, returns: optional, scope: organisation
CYPHER 25
MATCH (marker:Importing {uid: 'import_' + $org_id})
WHERE marker.org_id = $org_id
SET marker.locked = true
WITH marker
// Another process may import the same file.
WHERE marker.done = $before
SET marker.done = $done
WITH marker
CALL () {
  UNWIND $rows AS row
  CREATE (n:Importing)
  SET n = row.properties
  FOREACH (_ IN CASE WHEN row.is_space THEN [1] ELSE [] END | SET n:Space)
  RETURN count(n) AS written
}
RETURN written
