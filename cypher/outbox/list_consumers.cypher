// The consumers of the caller's own space, by name, and the last place that readers go by; one row.
// mode: read, returns: one, scope: organisation - a consumer is in the private space of its actor, whatever else that may read
CYPHER 25
WITH coalesce(head(COLLECT { MATCH (counter:EventCounter {org_id: $org_id}) RETURN counter.told }), 0) AS told
CALL () {
  MATCH (c:EventConsumer)
  USING INDEX SEEK c:EventConsumer(scope_id, key)
  WHERE c.scope_id = $scope_id AND c.key > ''
  WITH c ORDER BY c.key
  RETURN collect(c {.uid, .org_id, .scope_id, .key, .place, .moved_at}) AS items
}
RETURN items, told
