// A session and those that share topics, goals or memories with it: the rarest of these first, each walked through its newest sessions; one row.
// mode: read, returns: one, scope: system - the job serves every organisation; a session is compared within its own space
CYPHER 25
MATCH (s:Session {uid: $uid})
MATCH (space:Space {uid: s.scope_id})
CALL (s) {
  CALL (s) {
    MATCH (s)-[:ON]->(x:Topic)
    WITH x, COUNT { (x)<-[:ON]-() } AS degree
    ORDER BY degree, x.uid
    LIMIT $hubs
    RETURN x, degree
  }
  CALL (s, x) {
    MATCH (o:Session)-[via:ON]->()
    USING INDEX SEEK via:ON(scope_id, topic_uid, from_uid)
    WHERE via.scope_id = s.scope_id AND via.topic_uid = x.uid AND via.from_uid > $since AND via.from_uid < $upto
    RETURN o
    ORDER BY via.scope_id DESC, via.topic_uid DESC, via.from_uid DESC
    LIMIT $fan
  }
  RETURN o, $pull.topic / log(2.0 + degree) AS pull
UNION ALL
  CALL (s) {
    MATCH (s)-[:WORKED_ON]->(x:Goal)
    WITH x, COUNT { (x)<-[:WORKED_ON]-() } AS degree
    ORDER BY degree, x.uid
    LIMIT $hubs
    RETURN x, degree
  }
  CALL (s, x) {
    MATCH (o:Session)-[via:WORKED_ON]->()
    USING INDEX SEEK via:WORKED_ON(scope_id, goal_uid, from_uid)
    WHERE via.scope_id = s.scope_id AND via.goal_uid = x.uid AND via.from_uid > $since AND via.from_uid < $upto
    RETURN o
    ORDER BY via.scope_id DESC, via.goal_uid DESC, via.from_uid DESC
    LIMIT $fan
  }
  RETURN o, $pull.goal / log(2.0 + degree) AS pull
UNION ALL
  CALL (s) {
    MATCH (s)-[held:HOLDS]->(x:Memory)
    WHERE (held.until IS NULL OR held.left_because = 'session_ended') AND
      // part: is_shown(held)
    WITH DISTINCT x
    WHERE NOT x:Fragment
    WITH x, COUNT { (x)<-[:HOLDS]-() } AS degree
    ORDER BY degree, x.uid
    LIMIT $hubs
    RETURN x, degree
  }
  CALL (s, x) {
    MATCH (o:Session)-[via:HOLDS]->()
    USING INDEX SEEK via:HOLDS(scope_id, memory_uid, from_uid)
    WHERE via.scope_id = s.scope_id AND via.memory_uid = x.uid AND via.from_uid > $since AND via.from_uid < $upto AND
      // part: is_shown(via)
    RETURN o
    ORDER BY via.scope_id DESC, via.memory_uid DESC, via.from_uid DESC
    LIMIT $fan
  }
  RETURN o, $pull.memory / log(2.0 + degree) AS pull
}
WITH s, o, sum(pull) AS pull, coalesce(space.links_devices, false) AS links_devices
// The look-back ends with the start of the later session.
WHERE o <> s AND (o.status = 'active' OR o.digest_until >= CASE WHEN o.uid < s.uid THEN s.created_at ELSE o.created_at END)
  AND (links_devices OR coalesce(o.device_id, '') = coalesce(s.device_id, ''))
ORDER BY pull DESC, o.uid DESC
LIMIT $candidates
RETURN collect({
  uid: o.uid, device_id: o.device_id, started_at: toString(o.created_at), ended_at: toString(o.ended_at),
  names: COLLECT { MATCH (o)-[about:ON]->(:Topic) RETURN about {.name, .entity, .theme} ORDER BY about.name },
  cosine: CASE WHEN o.digest_encoder = s.digest_encoder THEN 2 * vector.similarity.cosine(o.digest, s.digest) - 1 END
}) AS found
