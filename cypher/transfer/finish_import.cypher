// Shows an imported organisation, as the last of its nodes, and deletes the note about its import.
// mode: write, returns: none, scope: organisation
CYPHER 25
// Whoever begins to import it at the same time waits, and finds it.
MERGE (held:KeyLock {scope_id: $org_id, key: 'import'})
DELETE held
WITH count(*) AS locked
MATCH (marker:Importing {uid: 'import_' + $org_id})
WHERE marker.org_id = $org_id
MATCH (o:Importing {uid: $org_id})
WHERE o.org_id = $org_id
SET o:Organisation
REMOVE o:Importing
DELETE marker
