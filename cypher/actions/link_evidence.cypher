// Links the observations that actions name as evidence, and ends the links to those that they no longer name; one row with both numbers.
// mode: write, returns: one, scope: organisation
CYPHER 25
UNWIND $rows AS row
// The change that comes before this statement has checked that the caller may write the action.
MATCH (a:PendingAction {uid: row.uid})
WHERE a.org_id = $org_id
CALL (a, row) {
  MATCH (o:Observation)-[link:EVIDENCES]->(a)
  WHERE link.until IS NULL AND NOT o.uid IN row.refs
  SET link.until = row.at, link.by = $actor_id
  RETURN count(link) AS ended
}
CALL (a, row) {
  UNWIND range(0, size(row.refs) - 1) AS position
  // A reference that is no observation, or not one that the caller may read, is only text.
  MATCH (o:Observation&Memory {uid: row.refs[position]})
  WHERE o.scope_id IN $readable
  WITH a, row, o, min(position) AS position
  WHERE NOT EXISTS { MATCH (o)-[same:EVIDENCES]->(a) WHERE same.until IS NULL }
  CREATE (o)-[link:EVIDENCES {confidence: o.confidence, version: o.version, weight: 1.0, position: position, gain: 0.0, since: row.at, by: $actor_id}]->(a)
  RETURN count(link) AS begun
}
RETURN sum(begun) AS begun, sum(ended) AS ended
