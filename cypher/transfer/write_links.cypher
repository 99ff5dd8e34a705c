// Creates relationships of an organisation that is being imported, and notes how far it is; one row with how many.
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
  MATCH (n:Importing {uid: row.source})
  WHERE n.org_id = $org_id
  MATCH (m:Importing {uid: row.target})
  WHERE m.org_id = $org_id
  CREATE (n)-[r:$(row.type)]->(m)
  SET r = row.properties
  RETURN count(r) AS written
}
RETURN written
