// Stores changed goals, each with its next version; one row with the number written.
// mode: write, returns: one, scope: caller
CYPHER 25
OPTIONAL MATCH (slots:Embedding {name: 'memory'})
UNWIND $rows AS row
MATCH (g:Goal {uid: row.properties.uid})
WHERE g.scope_id IN $writable
  // part: shared_for_writing(g) if $grantees
// part: other_text(g, row)
SET g += row.properties
// part: unembedded(g, slots)
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(g)
RETURN count(g) AS written
