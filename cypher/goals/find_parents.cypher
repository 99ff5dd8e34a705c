// The readable goal that each of some goals is part of; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (child:Goal {uid: uid})-[link:CHILD_OF]->(g:Goal)
WHERE link.until IS NULL AND (child.scope_id IN $readable
  // part: shared(child) if $grantees
) AND (g.scope_id IN $readable
  // part: shared(g) if $grantees
)
RETURN collect({uid: uid, parent: g {
    // part: goal_fields(g)
  }}) AS items
