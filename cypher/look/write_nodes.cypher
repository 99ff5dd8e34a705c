// Creates copies of nodes; one row with their references, in the order of the nodes.
// mode: write, returns: one, scope: system - the copy is a database of its own
CYPHER 25
UNWIND $copies AS item
CREATE (n:$(item.labels))
SET n = item.properties
RETURN collect(elementId(n)) AS refs
