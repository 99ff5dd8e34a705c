// Whether an action cannot be started because of its goal: the goal has ended or violates a mandate, or the action waits as `gates.is_blocked` says.
// variables: a
// One CASE and one EXISTS: the planner multiplies alternatives out, and took five times as long for the same conditions joined by OR.
a.open AND EXISTS {
  MATCH (a)-[:ADVANCES]->(aim:Goal)
  WHERE CASE
      WHEN aim.status = $blocked_status AND (size(aim.violates) > 0 OR NOT a.blocking) THEN true
      ELSE NOT aim.status IN $active_statuses
    END
    OR EXISTS {
      MATCH (aim)<-[:ADVANCES]-(b:PendingAction)
      WHERE b.open AND b.blocking
        AND (NOT a.blocking
          OR a.owner = 'agent' AND b.uid < a.uid
            AND (b.owner = 'user' OR b.requires_confirmation AND b.confirmed_at IS NULL))
    }
}
