// A page of pending actions by due time, those without one last, one row.
// mode: read
// scope: caller
// params: readable, people, grantees, mine, open, owners, types, statuses, blocking, blocked, active_statuses, blocked_status, space, due_after, due_before, client_key, overdue, overdue_key, words, after_key, until, limit
// returns: one
CYPHER 25
CALL () {
  UNWIND $readable AS scope_id
  WITH scope_id WHERE $space IS NULL OR scope_id = $space
  UNWIND $open AS open
  UNWIND $owners AS owner
  CALL (scope_id, open, owner) {
    MATCH (a:PendingAction)
    USING INDEX SEEK a:PendingAction(scope_id, open, owner, due_key)
    WHERE a.scope_id = scope_id AND a.open = open AND a.owner = owner AND a.due_key > $after_key AND a.due_key < $until
      // part: action_filter(a)
      AND ($types IS NULL OR a.type IN $types)
      AND ($statuses IS NULL OR a.status IN $statuses)
      AND ($blocking IS NULL OR a.blocking = $blocking)
      AND ($blocked IS NULL OR $blocked = (
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
      ))
      AND ($due_after IS NULL OR a.due_key >= $due_after)
      AND ($due_before IS NULL OR a.due_key < $due_before)
      AND ($mine IS NULL OR a.person_id = $mine)
      AND ($client_key IS NULL OR a.client_key = $client_key)
      AND ($overdue IS NULL OR $overdue = (a.open AND a.due_key < $overdue_key))
      AND (size($words) = 0 OR all(text IN [toLower(normalize(a.title + ' ' + coalesce(a.description, ''), NFKC))]
           WHERE all(word IN $words WHERE text CONTAINS word)))
      // end part
    RETURN a
    // ORDER BY names all four properties, although three are constant here: otherwise the planner does not see that the index has this order.
    ORDER BY a.scope_id, a.open, a.owner, a.due_key
    LIMIT $limit
  }
  RETURN a
  // only if $people
  UNION
  // What is for the caller, who is a person, in whatever space it lies.
  UNWIND $people AS person_id
  UNWIND $open AS open
  CALL (person_id, open) {
    MATCH (a:PendingAction)
    USING INDEX SEEK a:PendingAction(person_id, open, due_key)
    WHERE a.person_id = person_id AND a.open = open AND a.due_key > $after_key AND a.due_key < $until
      AND a.owner IN $owners AND ($space IS NULL OR a.scope_id = $space)
      // part: action_filter(a)
      AND ($types IS NULL OR a.type IN $types)
      AND ($statuses IS NULL OR a.status IN $statuses)
      AND ($blocking IS NULL OR a.blocking = $blocking)
      AND ($blocked IS NULL OR $blocked = (
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
      ))
      AND ($due_after IS NULL OR a.due_key >= $due_after)
      AND ($due_before IS NULL OR a.due_key < $due_before)
      AND ($mine IS NULL OR a.person_id = $mine)
      AND ($client_key IS NULL OR a.client_key = $client_key)
      AND ($overdue IS NULL OR $overdue = (a.open AND a.due_key < $overdue_key))
      AND (size($words) = 0 OR all(text IN [toLower(normalize(a.title + ' ' + coalesce(a.description, ''), NFKC))]
           WHERE all(word IN $words WHERE text CONTAINS word)))
      // end part
    RETURN a
    ORDER BY a.person_id, a.open, a.due_key
    LIMIT $limit
  }
  RETURN a
  // end only
  // only if $grantees
  UNION
  // part: shared_goals(g)
  UNWIND $grantees AS grantee
  MATCH (:Actor {uid: grantee})-[may:MAY]->(root:Goal)
  WHERE may.until IS NULL
  MATCH (root) (()<-[down:CHILD_OF WHERE down.until IS NULL]-()){0,20} (g:Goal)
  WHERE g.scope_id = root.scope_id
  // end part
  MATCH (g)<-[:ADVANCES]-(a:PendingAction)
  WHERE a.scope_id = g.scope_id AND a.open IN $open AND a.due_key > $after_key
    AND a.owner IN $owners AND ($space IS NULL OR a.scope_id = $space)
    // part: action_filter(a)
    AND ($types IS NULL OR a.type IN $types)
    AND ($statuses IS NULL OR a.status IN $statuses)
    AND ($blocking IS NULL OR a.blocking = $blocking)
    AND ($blocked IS NULL OR $blocked = (
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
    ))
    AND ($due_after IS NULL OR a.due_key >= $due_after)
    AND ($due_before IS NULL OR a.due_key < $due_before)
    AND ($mine IS NULL OR a.person_id = $mine)
    AND ($client_key IS NULL OR a.client_key = $client_key)
    AND ($overdue IS NULL OR $overdue = (a.open AND a.due_key < $overdue_key))
    AND (size($words) = 0 OR all(text IN [toLower(normalize(a.title + ' ' + coalesce(a.description, ''), NFKC))]
         WHERE all(word IN $words WHERE text CONTAINS word)))
    // end part
  RETURN a
  // end only
}
WITH a
ORDER BY a.due_key
LIMIT $limit
RETURN collect(a {
  // part: action_fields(a)
  .uid, .scope_id, .goal_id, .type, .title, .description, .owner, .person_id, .priority, .priority_rank, .effort, .status, .due_at,
  .blocking, .requires_confirmation, .auto_complete, .density, .evidence_refs, .confirmed_by, .confirmed_at, .result,
  .completed_at, .archived_at, .escalated_at, .event_at, .client_key, .metadata, .created_from_turn_id,
  created_at: toString(a.created_at), updated_at: toString(a.updated_at), .by_uid, .version
  // end part
}) AS items
