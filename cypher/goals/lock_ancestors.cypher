// Locks some goals and all their ancestors, in order of their ids; one row with the ancestors of each goal.
// mode: write, returns: one, scope: organisation
CYPHER 25
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})
WHERE g.org_id = $org_id
CALL (g) {
  // Spaces are ignored, since a cycle through an unreadable goal is a cycle as well. There may be millions of
  // paths to one goal; in this form (and not as a quantified pattern) the planner visits each goal once.
  MATCH p = (g)-[:CHILD_OF|DERIVED_FROM*0..]->(a:Goal)
  WHERE all(link IN relationships(p) WHERE link.until IS NULL AND type(link) IN $types)
  RETURN DISTINCT a
}
WITH uid, a
ORDER BY a.uid
SET a.locked_at = $now
WITH uid, collect(a.uid) AS ancestors
RETURN collect({uid: uid, ancestors: ancestors}) AS items
