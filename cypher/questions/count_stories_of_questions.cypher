// The number of stories that answer each of some questions; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (q:Question {uid: uid})<-[:ANSWERS]-(s:Story)
WHERE s.status IN $statuses AND (s.scope_id IN $readable OR s.scope_id = q.scope_id) AND (q.scope_id IN $readable
  // part: shared_question(q) if $grantees
)
WITH uid, count(s) AS number
RETURN collect({uid: uid, number: number}) AS items
