// The candidates for a context that come next: open actions that are not blocked, and open and answered questions with one story each, of the spaces and about the chosen goals; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  CALL () {
    // Of each space the first ones by utility and the first ones that are due soon. As in read_candidates, every space
    // gives its first one before any gives its second one.
    UNWIND $readable AS scope_id
    CALL (scope_id) {
      UNWIND ['agent', 'user'] AS owner
      CALL (scope_id, owner) {
        MATCH (a:PendingAction)
        USING INDEX SEEK a:PendingAction(scope_id, open, owner, sort_key)
        WHERE a.scope_id = scope_id AND a.open = true AND a.owner = owner AND a.sort_key IS NOT NULL AND a.org_id = $org_id AND NOT (
          // part: is_blocked(a)
        )
        RETURN a
        ORDER BY a.scope_id, a.open, a.owner, a.sort_key
        LIMIT $most
      }
      WITH a
      ORDER BY a.sort_key
      RETURN collect(a) AS found
      UNION ALL
      UNWIND ['agent', 'user'] AS owner
      CALL (scope_id, owner) {
        MATCH (a:PendingAction)
        USING INDEX SEEK a:PendingAction(scope_id, open, owner, due_key)
        WHERE a.scope_id = scope_id AND a.open = true AND a.owner = owner AND a.due_key < $soon AND a.org_id = $org_id AND NOT (
          // part: is_blocked(a)
        )
        RETURN a
        ORDER BY a.scope_id, a.open, a.owner, a.due_key
        LIMIT $most
      }
      WITH a
      ORDER BY a.due_key
      RETURN collect(a) AS found
    }
    UNWIND range(0, size(found) - 1) AS place
    WITH found[place] AS a, place, scope_id IN $own AS mine
    ORDER BY place, a.sort_key
    WITH collect(CASE WHEN mine THEN a END)[..2 * $most] AS own, collect(CASE WHEN NOT mine THEN a END)[..2 * $most] AS others
    UNWIND own + others AS a
    RETURN a
    UNION
    UNWIND $goal_ids AS uid
    CALL (uid) {
      MATCH (:Goal {uid: uid})<-[:ADVANCES]-(a:PendingAction)
      WHERE a.open AND a.scope_id IN $readable AND a.org_id = $org_id AND NOT (
        // part: is_blocked(a)
      )
      RETURN a
      ORDER BY a.sort_key
      LIMIT $most
    }
    RETURN a
  }
  RETURN collect(a {
    // part: next_action(a)
  }) AS action_items
}
CALL () {
  CALL () {
    UNWIND $readable AS scope_id
    CALL (scope_id) {
      UNWIND $question_statuses AS status
      CALL (scope_id, status) {
        MATCH (q:Question)
        USING INDEX SEEK q:Question(scope_id, status, priority_rank, uid)
        WHERE q.scope_id = scope_id AND q.status = status AND q.priority_rank IS NOT NULL AND q.uid IS NOT NULL AND q.org_id = $org_id
        RETURN q
        ORDER BY q.scope_id DESC, q.status DESC, q.priority_rank DESC, q.uid DESC
        LIMIT $most
      }
      WITH q
      ORDER BY q.priority_rank DESC, q.uid DESC
      RETURN collect(q) AS found
    }
    UNWIND range(0, size(found) - 1) AS place
    WITH found[place] AS q, place, scope_id IN $own AS mine
    ORDER BY place, q.priority_rank DESC, q.uid DESC
    WITH collect(CASE WHEN mine THEN q END)[..2 * $most] AS own, collect(CASE WHEN NOT mine THEN q END)[..2 * $most] AS others
    UNWIND own + others AS q
    RETURN q
    UNION
    UNWIND $goal_ids AS uid
    CALL (uid) {
      MATCH (:Goal {uid: uid})<-[about:ABOUT]-(q:Question)
      WHERE about.until IS NULL AND q.status IN $question_statuses AND q.scope_id IN $readable AND q.org_id = $org_id
      RETURN q
      ORDER BY q.priority_rank DESC, q.uid DESC
      LIMIT $most
    }
    RETURN q
    UNION
    // Those that a search found, also if they are not among the most urgent.
    UNWIND $close AS uid
    MATCH (q:Question {uid: uid})
    WHERE q.scope_id IN $readable AND q.org_id = $org_id AND q.status IN $question_statuses
    RETURN q
  }
  WITH q, COLLECT {
    MATCH (q)<-[:ANSWERS]-(s:Story)
    WHERE s.status IN $story_statuses AND s.scope_id IN $readable
    // The one that has come furthest.
    RETURN s {.uid, .scope_id, .by_uid, .narrative, .status, .question_id}
    ORDER BY head([n IN range(0, size($story_statuses) - 1) WHERE $story_statuses[n] = s.status]) DESC, s.uid DESC
    LIMIT 1
  } AS told
  RETURN collect(q {
    story: head(told),
    // part: next_question(q)
  }) AS question_items
}
RETURN action_items, question_items
