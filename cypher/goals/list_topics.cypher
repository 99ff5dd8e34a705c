// The active goals of some spaces, newest first, and the goals with some ids, each with its topics; one row.
// mode: read
// scope: caller
// params: scopes, statuses, most, uids, readable, writable, grantees
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
  RETURN collect(g {.uid, .scope_id, .title, .goal_type, .user_id, .status, .topic_keys, writable: scope_id IN $writable}) AS active
}
CALL () {
  UNWIND $uids AS uid
  MATCH (g:Goal {uid: uid})
  WHERE g.scope_id IN $readable
    // part: shared(g) if $grantees
    OR EXISTS {
      MATCH (g)
        (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
      WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
    }
    // end part
  // A goal shared for reading only is returned as not writable: no observation is linked to it.
  RETURN collect(g {.uid, .scope_id, .title, .goal_type, .user_id, .status, .topic_keys, writable: g.scope_id IN $writable
    // part: shared_for_writing(g) if $grantees
    OR EXISTS {
      MATCH (g)
        (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
      WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
        AND may.permission IN ['write', 'admin']
    }
    // end part
  }) AS named
}
RETURN active, named
