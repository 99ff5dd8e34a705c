// Deletes a batch of tool invocations from before a time, with the parts of their results; one row with the number deleted.
// mode: write, returns: one, scope: system - retention serves every organisation
CYPHER 25
CALL () {
  MATCH (inv:ToolInvocation)
  USING INDEX SEEK inv:ToolInvocation(uid)
  WHERE inv.uid < $before
  RETURN inv
  ORDER BY inv.uid
  LIMIT $batch
}
CALL (inv) {
  MATCH (inv)<-[:PART_OF]-(part:ResultPart)
  DETACH DELETE part
}
DETACH DELETE inv
RETURN count(*) AS deleted
