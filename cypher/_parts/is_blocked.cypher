// Whether an action cannot be started because of its goal: the goal has ended or violates a mandate, or the action waits as `gates.is_blocked` says.
// variables: a
a.open AND EXISTS {
  MATCH (a)-[:ADVANCES]->(aim:Goal)
  WHERE NOT aim.status IN $active_statuses
    OR aim.status = $blocked_status AND size(aim.violates) > 0
    OR NOT a.blocking AND (aim.status = $blocked_status OR EXISTS {
      MATCH (aim)<-[:ADVANCES]-(b:PendingAction)
      WHERE b.open AND b.blocking
    })
    OR a.blocking AND a.owner = 'agent' AND EXISTS {
      MATCH (aim)<-[:ADVANCES]-(b:PendingAction)
      WHERE b.open AND b.blocking AND b.uid < a.uid
        AND (b.owner = 'user' OR b.requires_confirmation AND b.confirmed_at IS NULL)
    }
}
