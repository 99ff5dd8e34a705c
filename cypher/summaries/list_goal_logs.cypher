// A page, by id, of goals of an organisation or of all, each with its figures and its log since its last summary; one row.
// mode: read, returns: one, scope: system - the job serves every organisation; for a command `org_id` is not null
CYPHER 25
CALL () {
  MATCH (g:Goal)
  WHERE g.uid > $after AND ($org_id IS NULL OR g.org_id = $org_id)
  RETURN g
  ORDER BY g.uid
  LIMIT $limit
}
CALL (g) {
  OPTIONAL MATCH (s:Summary)-[:SUMMARISES]->(g)
  WITH s
  ORDER BY s.created_at, s.uid
  RETURN collect(s {
    .uid, .scope_id, .org_id, .kind, .of_uid, .goal_id, .label, .text, .refs, .upto, .seen_until, .entries, .created_at
  }) AS summaries, coalesce(max(CASE s.kind WHEN 'meso' THEN s.upto END), 0) AS told,
         max(CASE s.kind WHEN 'meso' THEN coalesce(s.seen_until, s.created_at) END) AS since
}
CALL (g, told) {
  OPTIONAL MATCH (v:Version)
  USING INDEX SEEK v:Version(of_uid, number)
  WHERE v.of_uid = g.uid AND v.number > told
  WITH v
  ORDER BY v.number
  LIMIT $most
  RETURN collect(v {.number, at: toString(v.created_at), turn: v.turn_uid, .changes}) AS versions
}
CALL (g) {
  // All steps of the goal, also those that earlier summaries tell of.
  OPTIONAL MATCH (v:Version)
  USING INDEX SEEK v:Version(of_uid, number)
  WHERE v.of_uid = g.uid AND v.number > 1 AND 'progress' IN v.fields
  RETURN count(v) AS steps
}
CALL (g, since) {
  OPTIONAL MATCH (g)<-[:ADVANCES]-(a:PendingAction)<-[:OF]-(v:Version)
  WHERE a.scope_id = g.scope_id AND (since IS NULL OR v.created_at > since)
  WITH a, v
  ORDER BY v.created_at, v.uid
  LIMIT $most
  RETURN collect(v {.number, at: toString(v.created_at), turn: v.turn_uid, .changes, title_now: a.title}) AS actions
}
CALL (g) {
  // The content of an observation in another space, or of an ended link, is not returned, only the id.
  OPTIONAL MATCH (o:Observation)-[link:EVIDENCES]->(g)
  WITH g, o, link
  ORDER BY link.since, link.position, o.uid
  LIMIT $most
  RETURN collect({uid: o.uid, content: CASE WHEN o.scope_id = g.scope_id AND link.until IS NULL THEN o.content END}) AS witnesses
}
RETURN collect({
  goal: g {.uid, .org_id, .scope_id, .title, .status, .progress, .milestones, .version}, steps: steps,
  statuses: COLLECT {
    MATCH (g)<-[:ADVANCES]-(a:PendingAction)
    WHERE a.scope_id = g.scope_id
    WITH a.status AS status, count(*) AS number
    ORDER BY status
    RETURN {status: status, number: number}
  },
  summaries: summaries, versions: versions, actions: actions, witnesses: witnesses
}) AS items
