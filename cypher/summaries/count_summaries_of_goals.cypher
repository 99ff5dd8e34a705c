// The number of readable summaries of each of some goals and of their actions; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid}) (()<-[:ADVANCES]-()){0,1} (n)<-[:SUMMARISES]-(s:Summary)
WHERE s.scope_id IN $readable
WITH uid, count(s) AS number
RETURN collect({uid: uid, number: number}) AS items
