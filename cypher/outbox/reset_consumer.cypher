// Moves a consumer to a place, forward or back; the place 0 forgets it; one row with the last place, and how many there were.
// mode: write, returns: one, scope: organisation - a consumer is in the private space of its actor, whatever else that may read
CYPHER 25
WITH coalesce(head(COLLECT { MATCH (counter:EventCounter {org_id: $org_id}) RETURN counter.told }), 0) AS told
CALL (told) {
  MATCH (c:EventConsumer {scope_id: $scope_id, key: $key})
  WHERE $seq <= told
  SET c.place = $seq, c.moved_at = $now
  WITH c, c {.uid, .org_id, .scope_id, .key, .place, .moved_at} AS shown
  CALL (c) {
    WITH c WHERE $seq = 0
    DELETE c
  }
  RETURN collect(shown) AS found
}
RETURN told, head(found) AS consumer
