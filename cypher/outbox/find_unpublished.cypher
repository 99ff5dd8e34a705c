// The next events that the broker lacks, of a batch of organisations, in their order, with where its consumer is; one row.
// mode: read, returns: one, scope: system - the publisher serves every organisation
CYPHER 25
CALL () {
  MATCH (counter:EventCounter)
  USING INDEX SEEK counter:EventCounter(unpublished, org_id)
  WHERE counter.unpublished = true AND counter.org_id > $after AND NOT counter.org_id IN $resting
  RETURN counter
  ORDER BY counter.org_id
  LIMIT $organisations
}
MATCH (org:Organisation {uid: counter.org_id})
OPTIONAL MATCH (c:EventConsumer {scope_id: org.uid, key: $key})
WITH counter, org, c, coalesce(c.place, 0) AS place
CALL (counter, place) {
  MATCH (e:OutboxEvent)
  USING INDEX SEEK e:OutboxEvent(org_id, seq)
  WHERE e.org_id = counter.org_id AND e.seq > place AND e.seq <= counter.told
  WITH e ORDER BY e.seq LIMIT $page
  RETURN collect(e {
    .uid, .seq, .scope_id, .type, .aggregate, .aggregate_version, .by_uid, .data, at: toString(e.created_at),
    // Whoever reads the stream gets the whole export; who may is decided in the broker.
    export: CASE WHEN e.type = 'turn.exported' THEN head(COLLECT { MATCH (x:StateExport {uid: e.aggregate}) RETURN x.body }) END,
    turn_key: head(COLLECT { MATCH (turn:Turn {uid: e.turn_uid}) RETURN coalesce(turn.former_key, turn.key) })
  }) AS events
}
WITH counter, org, c, place, events
ORDER BY counter.org_id
RETURN collect({
  org_id: org.uid, org_key: org.key, told: counter.told, place: place, failing_uid: c.failing_uid,
  attempts: coalesce(c.attempts, 0), events: events
}) AS items
