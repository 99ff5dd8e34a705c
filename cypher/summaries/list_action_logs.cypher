// A page, by id, of finished actions of an organisation or of all that were archived before a time and still have their log; one row.
// mode: read, returns: one, scope: system - the job serves every organisation; for a command `org_id` is not null
CYPHER 25
CALL () {
  MATCH (a:PendingAction)
  WHERE a.uid > $after AND ($org_id IS NULL OR a.org_id = $org_id) AND a.open = false AND a.archived_at < $before
    AND a.compacted_at IS NULL
  RETURN a
  ORDER BY a.uid
  LIMIT $limit
}
CALL (a) {
  MATCH (v:Version)
  USING INDEX SEEK v:Version(of_uid, number)
  WHERE v.of_uid = a.uid AND v.number > 0
  WITH v
  ORDER BY v.number
  LIMIT $most
  RETURN collect(v {.number, at: toString(v.created_at), turn: head(COLLECT { MATCH (turn:Turn {uid: v.turn_uid}) RETURN turn.key }), .changes}) AS versions
}
RETURN collect({
  action: a {.uid, .org_id, .scope_id, .goal_id, .title, .status, .version}, versions: versions
}) AS items
