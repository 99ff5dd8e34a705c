// Stores changed goals, each with its next version; one row with the number written.
// mode: write
// scope: caller
// params: rows, writable, grantees
// returns: one
CYPHER 25
OPTIONAL MATCH (slots:Embedding {name: 'memory'})
UNWIND $rows AS row
MATCH (g:Goal {uid: row.properties.uid})
WHERE g.scope_id IN $writable
  // part: shared_for_writing(g) if $grantees
  OR EXISTS {
    MATCH (g)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
      AND may.permission IN ['write', 'admin']
  }
  // end part
// part: other_text(g, row)
FOREACH (_ IN CASE WHEN g.content = row.properties.content THEN [] ELSE [1] END |
  REMOVE g.embedding_a, g.embedded_a, g.embedding_b, g.embedded_b
)
// end part
SET g += row.properties
// part: unembedded(g, slots)
REMOVE g:Unembedded
FOREACH (_ IN CASE
  WHEN g.searchable_in IS NULL OR CASE slots.serving WHEN 'b' THEN g.embedded_b ELSE g.embedded_a END IS NOT NULL THEN []
  ELSE [1]
END | SET g:Unembedded)
// end part
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(g)
RETURN count(g) AS written
