// The readable observations that speak for each of some goals, in the order they were linked, one row.
// mode: read
// scope: caller
// params: uids, readable
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})<-[evidence:EVIDENCES]-(o:Observation)
WHERE g.scope_id IN $readable AND o.scope_id IN $readable AND evidence.until IS NULL
WITH uid, evidence, o ORDER BY evidence.since, evidence.position
WITH uid, collect({observation_id: o.uid, content: o.content, confidence: evidence.confidence, note: evidence.note,
                   since: evidence.since}) AS evidence
RETURN collect({uid: uid, evidence: evidence}) AS items
