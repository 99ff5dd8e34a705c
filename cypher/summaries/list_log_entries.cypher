// The trace entries about an action in some ranges of ids; the ids begin with the time; one row.
// mode: read, returns: one, scope: organisation
CYPHER 25
UNWIND $stretches AS stretch
MATCH (e:TraceEvent)
USING INDEX SEEK e:TraceEvent(scope_id, uid)
WHERE e.scope_id = $scope_id AND e.uid >= stretch.low AND e.uid < stretch.high AND e.org_id = $org_id
  AND e.kind STARTS WITH 'action_' AND e.ids[0] = $uid
WITH DISTINCT e
ORDER BY e.uid
RETURN collect(e {.uid, at: toString(e.created_at), .message, .ids}) AS items
