// The readable summaries of some goals and of their actions, newest first; one row.
// mode: read
// scope: caller
// params: goal_ids, readable, most
// returns: one
CYPHER 25
UNWIND $goal_ids AS goal_id
CALL (goal_id) {
  MATCH (g:Goal {uid: goal_id}) (()<-[:ADVANCES]-()){0,1} (n)<-[:SUMMARISES]-(s:Summary)
  WHERE s.scope_id IN $readable
  RETURN s
  ORDER BY s.uid DESC
  LIMIT $most
}
RETURN collect(s {
  .uid, .scope_id, .org_id, .kind, .of_uid, .goal_id, .label, .text, .upto, .entries, .created_at,
  // The id of an observation is returned only if the caller may read the observation. Other references are text.
  refs: [ref IN s.refs WHERE NOT ref STARTS WITH 'obs_' OR EXISTS {
    MATCH (o:Observation&Memory {uid: ref}) WHERE o.scope_id IN $readable
  }],
  about: goal_id
}) AS items
