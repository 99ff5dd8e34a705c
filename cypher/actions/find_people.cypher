// The people whose keys are given, and those whom some goals are for and some private spaces belong to; one row.
// mode: read, returns: one, scope: organisation
CYPHER 25
RETURN COLLECT {
  UNWIND $keys AS key
  MATCH (p:Actor {org_id: $org_id, kind: 'person', key: key})
  RETURN {of: key, uid: p.uid}
} AS named, COLLECT {
  UNWIND $goal_ids AS goal_id
  MATCH (g:Goal {uid: goal_id})-[:FOR]->(p:Actor)
  WHERE g.org_id = $org_id AND p.kind = 'person'
  RETURN {of: g.uid, uid: p.uid}
} AS goals, COLLECT {
  UNWIND $scope_ids AS scope_id
  MATCH (s:Space {uid: scope_id})<-[:MAY]-(p:Actor)
  WHERE s.org_id = $org_id AND p.home_id = s.uid AND p.kind = 'person'
  RETURN {of: s.uid, uid: p.uid}
} AS spaces
