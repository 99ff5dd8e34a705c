// A batch of the oldest events without a place, and those of their aggregates that have an earlier version; one row.
// mode: write, returns: one, scope: system - the relay serves every organisation
CYPHER 25
CALL () {
  MATCH (e:Unsequenced)
  USING INDEX SEEK e:Unsequenced(uid)
  WHERE e.uid > ''
  RETURN e
  ORDER BY e.uid
  LIMIT $batch
}
WITH collect(e) AS batch
CALL (batch) {
  UNWIND batch AS e
  RETURN e
  UNION
  // An id is older than its commit: an earlier version may have a later id, beyond the batch.
  UNWIND batch AS e
  WITH e.aggregate AS aggregate, max(e.aggregate_version) AS version
  CALL (aggregate, version) {
    MATCH (earlier:Unsequenced)
    USING INDEX SEEK earlier:Unsequenced(aggregate, aggregate_version)
    WHERE earlier.aggregate = aggregate AND earlier.aggregate_version < version
    RETURN earlier
  }
  RETURN earlier AS e
}
RETURN collect(e {.uid, .org_id, .aggregate, .aggregate_version}) AS items
