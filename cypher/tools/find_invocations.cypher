// The readable invocations among some ids, without their results, as far as they are still kept; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (inv:ToolInvocation {uid: uid})
WHERE inv.scope_id IN $readable AND inv.uid >= $oldest
RETURN collect(inv {
  // part: invocation_fields(inv)
}) AS items
