// Stores changed proposals, each with its next version; one row with the number written.
// mode: write, returns: one, scope: caller
CYPHER 25
UNWIND $rows AS row
MATCH (p:RegistryProposal {uid: row.properties.uid})
WHERE p.scope_id IN $writable
SET p += row.properties
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(p)
RETURN count(p) AS written
