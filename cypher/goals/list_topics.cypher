// The active goals of some spaces, newest first, and the goals some ids name, with what they are about; one row.
// mode: read
// scope: caller
// params: scopes, statuses, most, uids, readable
// returns: one
CYPHER 25
CALL () {
  UNWIND $scopes AS scope_id
  UNWIND $statuses AS status
  CALL (scope_id, status) {
    MATCH (g:Goal)
    USING INDEX SEEK g:Goal(scope_id, status, priority_rank, uid)
    WHERE g.scope_id = scope_id AND g.status = status AND g.priority_rank IS NOT NULL AND g.uid IS NOT NULL
    RETURN g
    ORDER BY g.uid DESC
    LIMIT $most
  }
  WITH g, scope_id
  WHERE scope_id IN $readable
  RETURN collect(g {.uid, .scope_id, .title, .goal_type, .user_id, .status, .topic_keys}) AS active
}
CALL () {
  UNWIND $uids AS uid
  MATCH (g:Goal {uid: uid})
  WHERE g.scope_id IN $readable
  RETURN collect(g {.uid, .scope_id, .title, .goal_type, .user_id, .status, .topic_keys}) AS named
}
RETURN active, named
