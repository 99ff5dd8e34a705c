// Stores an organisation's own definition of an action type with its version, as a revision of its registry.
// mode: write, returns: none, scope: organisation
CYPHER 25
MATCH (org:Organisation {uid: $org_id})
// Every authenticated request reads this revision; if it differs from the known one, the process reads the registry again.
SET org.registry_revision = $revision
MERGE (t:ActionType {org_id: $org_id, type_id: $type_id})
SET t += $properties
CREATE (v:Version)
SET v = $version
CREATE (v)-[:OF]->(t)
