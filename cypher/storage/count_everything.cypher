// How many nodes and relationships the database has, one row.
// mode: read, returns: one, scope: system - a backup is of the whole database
CYPHER 25
CALL () {
  MATCH (n)
  RETURN count(n) AS nodes
}
CALL () {
  MATCH ()-[r]->()
  RETURN count(r) AS relationships
}
RETURN nodes, relationships
