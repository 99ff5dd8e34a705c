// The active goals that are about some topics or have some types, and the goals with some ids; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  UNWIND $topics AS row
  WITH row WHERE row.scope_id IN $readable
  MATCH (t:Topic {scope_id: row.scope_id, key: row.key})
  CALL (row, t) {
    MATCH (g)-[on:ON]->()
    USING INDEX SEEK on:ON(scope_id, topic_uid, from_uid)
    // Observations are about the topic too: the prefix leaves only goals, which are walked newest first.
    WHERE on.scope_id = row.scope_id AND on.topic_uid = t.uid AND on.from_uid STARTS WITH 'goal_'
    RETURN g
    ORDER BY on.scope_id DESC, on.topic_uid DESC, on.from_uid DESC
    LIMIT $most
  }
  RETURN g, row.key AS topic
UNION ALL
  UNWIND $types AS row
  WITH row WHERE row.scope_id IN $readable
  UNWIND $statuses AS status
  CALL (row, status) {
    // Only the oldest one decides.
    MATCH (g:Goal)
    USING INDEX SEEK g:Goal(scope_id, goal_type, status, uid)
    WHERE g.scope_id = row.scope_id AND g.goal_type = row.key AND g.status = status AND g.uid IS NOT NULL
    RETURN g
    ORDER BY g.scope_id, g.goal_type, g.status, g.uid
    LIMIT 1
  }
  RETURN g, null AS topic
}
// Each goal is read once, however many of the topics it has.
WITH g, collect(topic) AS topics
WHERE g:Goal AND g.status IN $statuses
WITH collect(g {.uid, .scope_id, .goal_type, .user_id, .status, writable: g.scope_id IN $writable, topics: topics}) AS active
CALL () {
  UNWIND $uids AS uid
  MATCH (g:Goal {uid: uid})
  WHERE g.scope_id IN $readable
    // part: shared(g) if $grantees
  // A goal shared for reading only is returned as not writable: no observation is linked to it.
  RETURN collect(g {.uid, .scope_id, .goal_type, .user_id, .status, topics: [], writable: g.scope_id IN $writable
    // part: shared_for_writing(g) if $grantees
  }) AS named
}
RETURN active, named
