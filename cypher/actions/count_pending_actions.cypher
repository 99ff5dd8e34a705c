// Counts the pending actions that match a filter, of one goal or of all; one row.
// mode: read
// scope: caller
// params: goal_id, readable, open, owners, types, statuses, blocking, blocked, active_statuses, blocked_status, space, due_after, due_before
// returns: one
CYPHER 25
CALL () {
  WITH * WHERE $goal_id IS NOT NULL
  MATCH (g:Goal {uid: $goal_id})<-[:ADVANCES]-(a:PendingAction)
  WHERE g.scope_id IN $readable AND a.scope_id IN $readable AND a.open IN $open AND a.owner IN $owners
    AND ($space IS NULL OR a.scope_id = $space)
    // part: action_filter(a)
    AND ($types IS NULL OR a.type IN $types)
    AND ($statuses IS NULL OR a.status IN $statuses)
    AND ($blocking IS NULL OR a.blocking = $blocking)
    AND ($blocked IS NULL OR $blocked = (
      a.open AND EXISTS {
        MATCH (a)-[:ADVANCES]->(g:Goal)
        WHERE NOT g.status IN $active_statuses
          OR NOT a.blocking AND (g.status = $blocked_status OR EXISTS {
            MATCH (g)<-[:ADVANCES]-(b:PendingAction)
            WHERE b.open AND b.blocking
          })
          OR a.blocking AND a.owner = 'agent' AND EXISTS {
            MATCH (g)<-[:ADVANCES]-(b:PendingAction)
            WHERE b.open AND b.blocking AND b.uid < a.uid
              AND (b.owner = 'user' OR b.requires_confirmation AND b.confirmed_at IS NULL)
          }
      }
    ))
    AND ($due_after IS NULL OR a.due_key >= $due_after)
    AND ($due_before IS NULL OR a.due_key < $due_before)
    // end part
  RETURN count(a) AS matching
  UNION ALL
  WITH * WHERE $goal_id IS NULL
  UNWIND $readable AS scope_id
  WITH scope_id WHERE $space IS NULL OR scope_id = $space
  UNWIND $open AS open
  UNWIND $owners AS owner
  MATCH (a:PendingAction)
  USING INDEX SEEK a:PendingAction(scope_id, open, owner, due_key)
  WHERE a.scope_id = scope_id AND a.open = open AND a.owner = owner
    AND a.due_key >= $due_after AND a.due_key < $due_before
    AND ($types IS NULL OR a.type IN $types)
    AND ($statuses IS NULL OR a.status IN $statuses)
    AND ($blocking IS NULL OR a.blocking = $blocking)
    AND ($blocked IS NULL OR $blocked = (
      // part: is_blocked(a)
      a.open AND EXISTS {
        MATCH (a)-[:ADVANCES]->(g:Goal)
        WHERE NOT g.status IN $active_statuses
          OR NOT a.blocking AND (g.status = $blocked_status OR EXISTS {
            MATCH (g)<-[:ADVANCES]-(b:PendingAction)
            WHERE b.open AND b.blocking
          })
          OR a.blocking AND a.owner = 'agent' AND EXISTS {
            MATCH (g)<-[:ADVANCES]-(b:PendingAction)
            WHERE b.open AND b.blocking AND b.uid < a.uid
              AND (b.owner = 'user' OR b.requires_confirmation AND b.confirmed_at IS NULL)
          }
      }
      // end part
    ))
  RETURN count(a) AS matching
}
RETURN sum(matching) AS total
