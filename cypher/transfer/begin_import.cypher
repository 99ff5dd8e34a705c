// Notes that the import of an organisation has begun; a row with how far it is, none if the organisation is there.
// mode: write, returns: optional, scope: organisation
CYPHER 25
// Two processes that begin at once, or one while another one ends: the second waits for the first.
MERGE (held:KeyLock {scope_id: $org_id, key: 'import'})
DELETE held
WITH count(*) AS locked
WHERE NOT EXISTS { (:Organisation {uid: $org_id}) }
MERGE (m:Importing {uid: 'import_' + $org_id})
  ON CREATE SET m.org_id = $org_id, m.sha256 = $sha256, m.done = 0
RETURN m.sha256 AS sha256, m.done AS done
