// Counts the observations linked to each of some goals as evidence, readable or not; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})
WHERE g.scope_id IN $readable
  // part: shared(g) if $grantees
RETURN collect({uid: uid, number: COUNT { (g)<-[link:EVIDENCES]-(:Observation) WHERE link.until IS NULL }}) AS items
