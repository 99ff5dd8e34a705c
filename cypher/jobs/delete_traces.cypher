// Deletes trace entries of a batch from before a time; one row with how many were looked at and deleted, and the last id.
// mode: write, returns: one, scope: system - retention serves every organisation
CYPHER 25
CALL () {
  MATCH (e:TraceEvent)
  USING INDEX SEEK e:TraceEvent(uid)
  WHERE e.uid > $after AND e.uid < $before
  RETURN e
  ORDER BY e.uid
  LIMIT $batch
}
// The log of an action is kept until its summary has been made of it.
WITH e, NOT (e.kind STARTS WITH 'action_' AND EXISTS {
  MATCH (a:PendingAction {uid: e.ids[0]}) WHERE a.compacted_at IS NULL
}) AS gone
WITH collect({e: e, gone: gone, uid: e.uid}) AS found
WITH found, [item IN found WHERE item.gone | item.e] AS outdated
FOREACH (e IN outdated | DETACH DELETE e)
RETURN size(found) AS looked, size(outdated) AS deleted, last(found).uid AS last_uid
