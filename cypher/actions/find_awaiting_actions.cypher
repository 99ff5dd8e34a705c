// A batch of open actions of some types that wait for an event, in order of their ids, each with the time of its event; one row.
// mode: read, returns: one, scope: system - the job serves every organisation
CYPHER 25
MATCH (a:PendingAction)
USING INDEX SEEK a:PendingAction(awaiting, uid)
WHERE a.awaiting = true AND a.uid > $after
WITH a
ORDER BY a.awaiting, a.uid
LIMIT $batch
RETURN collect({uid: a.uid, at: CASE WHEN a.type IN $types THEN head(COLLECT {
  MATCH (e:OutboxEvent)
  USING INDEX SEEK e:OutboxEvent(aggregate, uid)
  // Ids begin with their time: the record's events from the time of the action on, oldest first.
  WHERE e.aggregate = a.awaited_id AND e.uid >= 'evt_' + substring(a.uid, size('act_'), 10)
    AND e.type = a.awaited_type AND e.created_at > a.created_at AND e.org_id = a.org_id
    // Only events in spaces that the creator of the action may read: an action must not reveal others.
    AND (e.scope_id = a.scope_id OR EXISTS {
      MATCH (:Actor {uid: a.by_uid})-[may:MAY]->(:Space {uid: e.scope_id})
      WHERE may.until IS NULL
    })
  RETURN e.created_at
  ORDER BY e.aggregate, e.uid
  LIMIT 1
}) END}) AS items
