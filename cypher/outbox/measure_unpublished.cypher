// How many events the broker lacks, since when, and how many it refused for good, each counted up to a bound; one row.
// mode: read, returns: one, scope: system - the publisher serves every organisation
CYPHER 25
CALL () {
  MATCH (counter:EventCounter)
  USING INDEX SEEK counter:EventCounter(unpublished, org_id)
  WHERE counter.unpublished = true AND counter.org_id > ''
  WITH counter LIMIT $most
  OPTIONAL MATCH (c:EventConsumer {scope_id: counter.org_id, key: $key})
  WITH counter, coalesce(c.place, 0) AS place
  OPTIONAL MATCH (next:OutboxEvent {org_id: counter.org_id, seq: place + 1})
  RETURN coalesce(sum(counter.told - place), 0) AS waiting, min(next.created_at) AS since
}
CALL () {
  MATCH (e:DeadLetter)
  USING INDEX SEEK e:DeadLetter(uid)
  WHERE e.uid > ''
  WITH e LIMIT $most
  RETURN count(e) AS dead
}
RETURN waiting, since, dead
