// The readable observations linked to each of some goals as evidence, in the order of linking; one row.
// mode: read
// scope: caller
// params: uids, readable, grantees
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})<-[evidence:EVIDENCES]-(o:Observation)
// A share of a goal does not make its observations readable: their own space must be.
WHERE o.scope_id IN $readable AND evidence.until IS NULL AND (g.scope_id IN $readable
  // part: shared(g) if $grantees
  OR EXISTS {
    MATCH (g)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
  }
  // end part
)
WITH uid, evidence, o ORDER BY evidence.since, evidence.position
WITH uid, collect({observation_id: o.uid, content: o.content, confidence: evidence.confidence, note: evidence.note,
                   since: evidence.since}) AS evidence
RETURN collect({uid: uid, evidence: evidence}) AS items
