// Moves a consumer forward to a place, never back; one row with the last place, and the consumer unless it is refused.
// mode: write, returns: one, scope: organisation - a consumer is in the private space of its actor, whatever else that may read
CYPHER 25
WITH coalesce(head(COLLECT { MATCH (counter:EventCounter {org_id: $org_id}) RETURN counter.told }), 0) AS told, COUNT {
  MATCH (other:EventConsumer)
  USING INDEX SEEK other:EventConsumer(scope_id, key)
  WHERE other.scope_id = $scope_id AND other.key > '' AND other.key <> $key
} AS others
CALL (told, others) {
  WITH told WHERE $seq <= told AND others < $most
  MERGE (c:EventConsumer {scope_id: $scope_id, key: $key})
    ON CREATE SET c.uid = $uid, c.org_id = $org_id, c.name = $key, c.created_at = $now, c.by_uid = $actor_id, c.place = 0
  // The write lock comes before the place is read.
  SET c.moved_at = $now
  SET c.place = CASE WHEN c.place < $seq THEN $seq ELSE c.place END
  RETURN collect(c {.uid, .org_id, .scope_id, .key, .place, .moved_at}) AS found
}
RETURN told, others, head(found) AS consumer
