// The number of all memories, and of those without a vector in the slot that searches use; one row.
// mode: read
// scope: system - the slots belong to the database
// params: none
// returns: one
CYPHER 25
RETURN COUNT { MATCH (:Memory) } AS memories, COUNT { MATCH (:Unembedded) } AS unembedded
