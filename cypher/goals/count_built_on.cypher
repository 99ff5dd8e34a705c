// Counts what was added to a goal since a time: open goals below it, open actions and evidence, readable or not; no row when the goal is not readable.
// mode: read, returns: optional, scope: caller
CYPHER 25
MATCH (g:Goal {uid: $uid})
WHERE g.scope_id IN $readable
  // part: shared(g) if $grantees
RETURN COUNT { MATCH (g)<-[down:CHILD_OF]-(child:Goal) WHERE down.until IS NULL AND down.since > $since AND child.status IN $statuses } AS goals,
       COUNT { MATCH (g)<-[:ADVANCES]-(a:PendingAction) WHERE a.created_at > $since AND a.open } AS actions,
       COUNT { MATCH (g)<-[link:EVIDENCES]-(:Observation) WHERE link.until IS NULL AND link.since > $since } AS evidence
