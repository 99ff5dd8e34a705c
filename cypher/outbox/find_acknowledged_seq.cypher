// The place up to which a consumer of the caller has acknowledged events, 0 if it never has; one row.
// mode: read, returns: one, scope: organisation - a consumer is in the private space of its actor, whatever else that may read
CYPHER 25
RETURN coalesce(head(COLLECT {
  MATCH (c:EventConsumer {scope_id: $scope_id, key: $key}) WHERE c.org_id = $org_id RETURN c.place
}), 0) AS place
