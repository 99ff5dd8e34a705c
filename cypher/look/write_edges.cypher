// Creates copies of relationships between copies of nodes; one row with how many.
// mode: write, returns: one, scope: system - the copy is a database of its own
CYPHER 25
UNWIND $copies AS item
MATCH (n)
WHERE elementId(n) = item.source
CALL (item, n) {
  MATCH (m)
  WHERE elementId(m) = item.target
  CREATE (n)-[r:$(item.type)]->(m)
  SET r = item.properties
  RETURN r
}
RETURN count(r) AS number
