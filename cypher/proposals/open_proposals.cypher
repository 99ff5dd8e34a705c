// Stores a proposal with its first version for each name that has none yet; one row with the proposals of all names.
// mode: write
// scope: organisation
// params: org_id, rows
// returns: one
CYPHER 25
// The store has sorted the names: two transactions that name the same types lock them in the same order. The
// uniqueness constraint makes the second one wait, and then it finds the proposal of the first.
UNWIND $rows AS row
MERGE (p:RegistryProposal {org_id: $org_id, name_key: row.name_key})
  ON CREATE SET p += row.properties
WITH p, row, p.uid = row.properties.uid AS created
FOREACH (version IN CASE WHEN created THEN [row.version] ELSE [] END |
  CREATE (v:Version)-[:OF]->(p)
  SET v = version
)
RETURN collect({name_key: row.name_key, uid: p.uid, status: p.status, created: created}) AS items
