// A page of a record's versions, newest first, and the earlier versions with the old values; no row if it is not readable.
// mode: read, returns: optional, scope: caller
CYPHER 25
CALL () {
  MATCH (n:Memory {uid: $uid})
  // A part of a memory has no history of its own.
  WHERE NOT n:Passage
  RETURN n
  UNION
  // For the other kinds of records, the record is found through its oldest version.
  MATCH (v:Version)
  USING INDEX SEEK v:Version(of_uid, number)
  WHERE v.of_uid = $uid AND v.number > 0
  WITH v
  ORDER BY v.of_uid, v.number
  LIMIT 1
  MATCH (v)-[:OF]->(n)
  RETURN n
}
WITH n
WHERE n.scope_id IN $readable
  // only if $people
  OR EXISTS { MATCH (a:PendingAction {uid: n.uid}) WHERE a.person_id IN $people }
  // end only
  // part: shared_record(n) if $grantees
CALL () {
  MATCH (v:Version)
  USING INDEX SEEK v:Version(of_uid, number)
  WHERE v.of_uid = $uid AND v.number < $before_number
  WITH v
  // Both properties, although one is constant here: only then does the planner use the order of the index.
  ORDER BY v.of_uid DESC, v.number DESC
  LIMIT $limit
  RETURN collect(v) AS page
}
CALL (page) {
  // The old value of a field is in the latest earlier version that has the field. Most are only few versions back.
  UNWIND page AS v
  UNWIND v.fields AS field
  WITH DISTINCT field, page[size(page) - 1].number AS oldest
  CALL (field, oldest) {
    MATCH (w:Version)
    USING INDEX SEEK w:Version(of_uid, number)
    WHERE w.of_uid = $uid AND w.number < oldest AND field IN w.fields
    RETURN w
    ORDER BY w.of_uid DESC, w.number DESC
    LIMIT 1
  }
  WITH DISTINCT w
  ORDER BY w.number
  RETURN collect(w {.number, .changes}) AS earlier
}
CALL (n, page) {
  WITH n, [v IN page | v.created_at] AS times
  MATCH (o:Observation)-[link:EVIDENCES]->(n)
  WHERE link.since IN times AND o.scope_id IN $readable
  WITH o, link
  ORDER BY link.position, o.uid
  RETURN collect({uid: o.uid, at: toString(link.since)}) AS evidence
}
RETURN labels(n) AS labels, n {.uid, .version, .by_uid, .source_turn_id, at: toString(n.created_at)} AS node,
       // Times are returned as text, because the driver is slow to build its time objects.
       COLLECT {
         UNWIND page AS v
         OPTIONAL MATCH (turn:Turn {uid: v.turn_uid})
         RETURN v {.number, .changes, .before, .by_uid, .request_key, turn_key: coalesce(turn.former_key, turn.key), at: toString(v.created_at)}
         ORDER BY v.number DESC
       } AS page,
       earlier, evidence
