// The observations among some ids that match the filter, in the order of the ids; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND range(0, size($uids) - 1) AS place
MATCH (o:Observation&Memory {uid: $uids[place]})
USING INDEX SEEK o:Memory(uid)
WHERE o.scope_id IN $readable
  // part: observation_filter_whole(o)
WITH o, place
ORDER BY place
LIMIT $limit
RETURN collect(o {
  // part: observation_fields(o)
}) AS items
