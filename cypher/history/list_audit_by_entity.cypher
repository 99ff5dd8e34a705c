// A page of the changes of one record, newest first; one row.
// mode: read, returns: one, scope: caller
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
}) AS items
