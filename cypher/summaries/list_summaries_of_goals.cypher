// A page of the readable summaries of each of some goals and of their actions, newest first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (g:Goal {uid: page.uid}) (()<-[:ADVANCES]-()){0,1} (n)<-[:SUMMARISES]-(s:Summary)
  WHERE s.scope_id IN $readable AND (page.after IS NULL OR s.uid < page.after[0])
  WITH s
  ORDER BY s.uid DESC
  LIMIT $limit
  RETURN collect({key: [s.uid], node: s {
    .uid, .scope_id, .org_id, .kind, .of_uid, .goal_id, .label, .text, .upto, .entries, .created_at,
    // The id of an observation is returned only if the caller may read the observation. Other references are text.
    refs: [ref IN s.refs WHERE NOT ref STARTS WITH 'obs_' OR EXISTS {
      MATCH (o:Observation&Memory {uid: ref}) WHERE o.scope_id IN $readable
    }]
  }}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
