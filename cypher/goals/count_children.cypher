// The number of readable goals below each of some goals; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (parent:Goal {uid: uid})<-[link:CHILD_OF]-(g:Goal)
WHERE link.until IS NULL AND (parent.scope_id IN $readable
  // part: shared(parent) if $grantees
) AND (g.scope_id IN $readable
  // part: shared(g) if $grantees
)
WITH uid, count(g) AS number
RETURN collect({uid: uid, number: number}) AS items
