// A page of the events in the readable spaces, in the order of their places, and the last place that it goes by; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
// What is beyond `told` may be visible in part: an index follows its nodes a moment later.
WITH coalesce(head(COLLECT { MATCH (counter:EventCounter {org_id: $org_id}) RETURN counter.told }), 0) AS told
CALL (told) {
  UNWIND $readable AS space
  CALL (space, told) {
    MATCH (e:OutboxEvent)
    USING INDEX SEEK e:OutboxEvent(scope_id, seq)
    WHERE e.scope_id = space AND e.seq > $after AND e.seq <= told
      AND ($types IS NULL OR e.type IN $types)
      // A session belongs to an actor and its device, not to all who read its space.
      AND (NOT e.aggregate STARTS WITH 'ses_' OR EXISTS {
        MATCH (s:Session {uid: e.aggregate})
        WHERE
        // part: is_own(s)
      })
    RETURN e
    ORDER BY e.scope_id, e.seq
    LIMIT $limit
  }
  WITH e
  ORDER BY e.seq
  LIMIT $limit
  RETURN collect(e {
    .uid, .seq, .scope_id, .type, .aggregate, .aggregate_version, .by_uid, .data, at: toString(e.created_at),
    turn_key: head(COLLECT { MATCH (turn:Turn {uid: e.turn_uid}) RETURN coalesce(turn.former_key, turn.key) })
  }) AS items
}
RETURN items, told
