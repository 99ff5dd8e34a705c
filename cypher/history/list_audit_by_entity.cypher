// A page of the changes of one record, newest first; one row.
// mode: read
// scope: caller
// params: limit, since_uid, before_uid, since, until, readable, people, entity_id, turn_key, actor_id, operations, grantees
// returns: one
CYPHER 25
CALL () {
  MATCH (e:OutboxEvent)
  USING INDEX SEEK e:OutboxEvent(aggregate, uid)
  WHERE e.aggregate = $entity_id AND e.uid > $since_uid AND e.uid < $before_uid
    AND ($actor_id IS NULL OR e.by_uid = $actor_id)
    AND ($turn_key IS NULL OR EXISTS { MATCH (turn:Turn {uid: e.turn_uid}) WHERE turn.key = $turn_key })
    AND ($operations IS NULL OR e.type IN $operations)
    AND ($since IS NULL OR e.created_at >= $since) AND ($until IS NULL OR e.created_at < $until)
    AND (e.scope_id IN $readable
      // only if $people
      OR EXISTS { MATCH (a:PendingAction {uid: $entity_id}) WHERE a.person_id IN $people }
      // end only
      // only if $grantees
      OR EXISTS {
        // A shared goal includes the goals below it in its space, and their actions, questions and stories.
        MATCH (n:Goal|PendingAction|Question|Story {uid: $entity_id}) ((s)-[:ANSWERS]->(q) WHERE s.scope_id = q.scope_id){0,1}
              (()-[by:ADVANCES|ABOUT WHERE by.until IS NULL]->()){0,1} (g:Goal)
        // part: shares(g)
          (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
        WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
        // end part
          AND g.scope_id = n.scope_id AND g.scope_id = e.scope_id
      }
      // end only
    )
  RETURN e
  ORDER BY e.aggregate DESC, e.uid DESC
  LIMIT $limit
}
WITH e
ORDER BY e.uid DESC
LIMIT $limit
RETURN collect(e {
  // part: event_fields(e)
  .uid, .by_uid, .type, .aggregate, .aggregate_version, .data, .turn_uid, at: toString(e.created_at),
  turn_key: head(COLLECT { MATCH (turn:Turn {uid: e.turn_uid}) RETURN coalesce(turn.former_key, turn.key) }),
  fields: head(COLLECT { MATCH (v:Version {of_uid: e.aggregate, number: e.aggregate_version}) RETURN v.fields })
  // end part
}) AS items
