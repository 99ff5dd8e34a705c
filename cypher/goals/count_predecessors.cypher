// The number of readable goals that each of some goals was derived from; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (derived:Goal {uid: uid})-[link:DERIVED_FROM]->(g:Goal)
WHERE link.until IS NULL AND (derived.scope_id IN $readable
  // part: shared(derived) if $grantees
) AND (g.scope_id IN $readable
  // part: shared(g) if $grantees
)
WITH uid, count(g) AS number
RETURN collect({uid: uid, number: number}) AS items
