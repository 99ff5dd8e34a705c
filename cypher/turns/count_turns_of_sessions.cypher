// The number of turns in each of some sessions; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (s:Session {uid: uid})<-[:IN_SESSION]-(turn:Turn)
WHERE s.scope_id IN $readable AND turn.scope_id IN $readable
WITH uid, count(turn) AS number
RETURN collect({uid: uid, number: number}) AS items
