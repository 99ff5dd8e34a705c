// Stores a proposal with its first version, and takes its name from decided proposals that held it. One row.
// mode: write, returns: one, scope: organisation
CYPHER 25
CALL () {
  UNWIND $released AS uid
  MATCH (old:RegistryProposal {uid: uid})
  WHERE old.org_id = $org_id
  REMOVE old.name_key
}
CREATE (p:RegistryProposal)
SET p = $properties
CREATE (v:Version)
SET v = $version
CREATE (v)-[:OF]->(p)
RETURN p.uid AS uid
