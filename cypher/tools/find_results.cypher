// The results of the readable invocations among some ids, as JSON text, as far as they are still kept; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (inv:ToolInvocation {uid: uid})
WHERE inv.scope_id IN $readable AND inv.uid >= $oldest
CALL (inv) {
  MATCH (inv)<-[:PART_OF]-(part:ResultPart)
  WITH part
  ORDER BY part.place
  RETURN collect(part.text) AS parts
}
RETURN collect({uid: inv.uid, result: inv.result, parts: parts}) AS items
