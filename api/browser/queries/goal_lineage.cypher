// Lineage of a goal: what it comes from and what depends on it
// Ancestors, descendants and derivations, with the evidence, the pending actions and the questions of each goal.
// which goal
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (goal:Goal {scope_id: space.uid}) WHERE goal.status IN ['pending', 'in_progress', 'blocked']
WITH goal ORDER BY goal.priority_rank DESC, goal.uid DESC LIMIT 1
// end which
CALL (goal) {
  MATCH path = (goal) (()-[link:CHILD_OF|DERIVED_FROM WHERE link.until IS NULL]->()){0,8} (relative:Goal)
  RETURN path, relative
  UNION
  MATCH path = (goal) (()<-[link:CHILD_OF|DERIVED_FROM WHERE link.until IS NULL]-()){0,8} (relative:Goal)
  RETURN path, relative
}
RETURN path,
  COLLECT {
    MATCH evidence = (:Observation)-[link:EVIDENCES WHERE link.until IS NULL]->(relative)
    RETURN evidence LIMIT 25
  } AS evidence,
  COLLECT {
    MATCH step = (:PendingAction)-[:ADVANCES]->(relative)
    RETURN step LIMIT 25
  } AS steps,
  COLLECT {
    MATCH asked = (relative)<-[about:ABOUT WHERE about.until IS NULL]-(:Question)
                  (()<-[link:ANSWERS|EVIDENCES WHERE link.until IS NULL]-()){0,2} ()
    RETURN asked LIMIT 25
  } AS asked
LIMIT 100
