// The candidates for a context beside what a search finds: durable memories that are always candidates, active goals, recent memories with the summaries of what was said before, with the numbers of the first two; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
// Of each kind the caller's own spaces give at most as many candidates as all other spaces together may give. Of the
// others each space gives its first one before any space gives its second one. So nobody's many records, however
// urgent, keep those of somebody else out.
CALL () {
  // The kinds that are candidates for every context.
  UNWIND $always AS kept
  CALL (kept) {
    UNWIND $readable AS scope_id
    CALL (kept, scope_id) {
      MATCH (m:Remembered)
      USING INDEX SEEK m:Remembered(scope_id, kind, live, uid)
      WHERE m.scope_id = scope_id AND m.kind = kept.kind AND m.live = true AND m.uid IS NOT NULL AND m.org_id = $org_id
      WITH m ORDER BY m.essential DESC, m.uid
      LIMIT $most
      RETURN collect(m)[..kept.most] AS found
    }
    UNWIND range(0, size(found) - 1) AS place
    WITH found[place] AS m, place, scope_id IN $own AS mine
    // Those of the common space are of maintainers.
    ORDER BY m.scope_id = $common DESC, place, m.essential DESC, m.uid
    RETURN collect(CASE WHEN mine THEN m END) AS own, collect(CASE WHEN NOT mine THEN m END) AS others
  }
  UNWIND own[..kept.most] + others[..kept.most] AS m
  RETURN collect(m {.uid, .scope_id, .by_uid, .kind, .content, .essential}) AS always_items
}
CALL () {
  UNWIND $always AS kept
  MATCH (m:Remembered)
  USING INDEX SEEK m:Remembered(scope_id, kind, live, uid)
  WHERE m.scope_id IN $readable AND m.kind = kept.kind AND m.live = true AND m.uid IS NOT NULL AND m.org_id = $org_id
  RETURN count(m) AS always_total
}
CALL () {
  UNWIND $readable AS scope_id
  CALL (scope_id) {
    UNWIND $active_statuses AS status
    CALL (scope_id, status) {
      MATCH (g:Goal)
      USING INDEX SEEK g:Goal(scope_id, status, priority_rank, uid)
      // The planner uses the index only with a condition on each property, and its order only if all are ordered by.
      WHERE g.scope_id = scope_id AND g.status = status AND g.priority_rank IS NOT NULL AND g.uid IS NOT NULL AND g.org_id = $org_id
      RETURN g
      ORDER BY g.scope_id DESC, g.status DESC, g.priority_rank DESC, g.uid DESC
      LIMIT $goals
    }
    WITH g
    ORDER BY g.priority_rank DESC, g.uid DESC
    LIMIT $goals
    RETURN collect(g) AS found
  }
  UNWIND range(0, size(found) - 1) AS place
  WITH found[place] AS g, place, scope_id IN $own AS mine
  ORDER BY place, g.priority_rank DESC, g.uid DESC
  WITH collect(CASE WHEN mine THEN g END)[..$goals] AS own, collect(CASE WHEN NOT mine THEN g END)[..$goals] AS others
  UNWIND own + others AS g
  CALL (g) {
    // part: titles_above(g)
    RETURN above
  }
  RETURN collect(g {
    .uid, .scope_id, .by_uid, .title, .description, .priority, .priority_rank, .status, .progress, above: above, by: []
  }) AS goal_items
}
CALL () {
  // Those that a search found, also if they are not among the most urgent.
  UNWIND $close AS uid
  MATCH (g:Goal {uid: uid})
  WHERE g.scope_id IN $readable AND g.org_id = $org_id AND g.status IN $active_statuses
  CALL (g) {
    // part: titles_above(g)
    RETURN above
  }
  RETURN collect(g {
    .uid, .scope_id, .by_uid, .title, .description, .priority, .priority_rank, .status, .progress, above: above, by: []
  }) AS close_items
}
CALL () {
  // What the found observations are evidence for.
  UNWIND $found AS uid
  MATCH (o:Observation&Memory {uid: uid})-[link:EVIDENCES]->(g:Goal)
  WHERE link.until IS NULL AND o.scope_id IN $readable AND g.scope_id IN $readable AND g.org_id = $org_id AND g.status IN $active_statuses
  WITH g, collect(uid) AS by
  ORDER BY size(by) DESC, g.uid DESC
  LIMIT $goals
  CALL (g) {
    // part: titles_above(g)
    RETURN above
  }
  RETURN collect(g {
    .uid, .scope_id, .by_uid, .title, .description, .priority, .priority_rank, .status, .progress, above: above, by: by
  }) AS evidenced_items
}
CALL () {
  UNWIND $readable AS scope_id
  UNWIND $active_statuses AS status
  CALL (scope_id, status) {
    MATCH (g:Goal)
    USING INDEX SEEK g:Goal(scope_id, status, priority_rank, uid)
    WHERE g.scope_id = scope_id AND g.status = status AND g.priority_rank IS NOT NULL AND g.uid IS NOT NULL AND g.org_id = $org_id
    WITH g
    LIMIT $counted
    RETURN count(g) AS number
  }
  RETURN sum(number) AS goal_total
}
CALL () {
  UNWIND $readable AS scope_id
  CALL (scope_id) {
    MATCH (o:Observation)
    USING INDEX SEEK o:Observation(scope_id, status, uid)
    WHERE o.scope_id = scope_id AND o.status = 'active' AND o.uid IS NOT NULL AND o.expires_at > $now AND o.org_id = $org_id
    WITH o
    ORDER BY o.scope_id DESC, o.status DESC, o.uid DESC
    LIMIT $recent
    RETURN collect(o) AS found
  }
  UNWIND range(0, size(found) - 1) AS place
  WITH found[place] AS o, place, scope_id IN $own AS mine
  ORDER BY place, o.uid DESC
  WITH collect(CASE WHEN mine THEN o END)[..$recent] AS own, collect(CASE WHEN NOT mine THEN o END)[..$recent] AS others
  RETURN [o IN own + others | o {
    .uid, .scope_id, .by_uid, .kind, .content, .confidence, at: toString(o.created_at)
  }] AS recent_items
}
CALL () {
  // The newest memories of the kinds whose last ones are candidates, of the caller's own spaces alone: what others say is no
  // conversation of the caller's.
  UNWIND $newest AS kept
  CALL (kept) {
    UNWIND $own AS scope_id
    CALL (kept, scope_id) {
      MATCH (m:Remembered)
      USING INDEX SEEK m:Remembered(scope_id, kind, live, uid)
      WHERE m.scope_id = scope_id AND m.scope_id IN $readable AND m.kind = kept AND m.live = true AND m.uid IS NOT NULL AND m.org_id = $org_id
      RETURN m
      ORDER BY m.scope_id DESC, m.kind DESC, m.live DESC, m.uid DESC
      LIMIT $recent
    }
    RETURN m
    ORDER BY m.uid DESC
    LIMIT $recent
  }
  RETURN collect(m {
    .uid, .scope_id, .by_uid, .kind, .content, .confidence, .speaker,
    at: toString(coalesce(m.happened_at, m.created_at)),
    // A long one is shown by its first part.
    passage: head(COLLECT { MATCH (m)<-[:PART_OF]-(p:Passage) WHERE p.place = 1 RETURN p {.place, .total, .start, .end} })
  }) AS newest_items, collect(m) AS newest
}
CALL (newest) {
  // What was said before them in their conversations.
  UNWIND newest AS m
  WITH m.scope_id AS scope_id, m.conversation AS key, collect(m.uid) AS beside
  MATCH (c:Conversation {scope_id: scope_id, key: key})<-[:SUMMARISES]-(s:Summary)
  WHERE s.scope_id IN $own AND s.scope_id IN $readable AND s.org_id = $org_id
  RETURN collect(s {.uid, .scope_id, .by_uid, .text, .seen_until, beside: beside}) AS summary_items
}
RETURN always_items, always_total, goal_items, close_items, evidenced_items, goal_total, recent_items, newest_items, summary_items
