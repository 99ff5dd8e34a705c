// The data of a record's state at a time: the versions that decide each field, and the links in force; no row if it is not readable.
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
  // The times of concurrent changes may be out of order, their numbers are not: the last version by then, and all before.
  OPTIONAL MATCH (v:Version)
  USING INDEX SEEK v:Version(of_uid, number)
  WHERE v.of_uid = $uid AND v.number > 0 AND v.created_at <= $at
  WITH v
  ORDER BY v.of_uid DESC, v.number DESC
  LIMIT 1
  RETURN v AS last, coalesce(v.number, 0) AS reached
}
CALL (reached) {
  // Only the latest version of each field, so that few of a thousand versions are returned.
  MATCH (v:Version)
  USING INDEX SEEK v:Version(of_uid, number)
  WHERE v.of_uid = $uid AND v.number > 0 AND v.number <= reached
  UNWIND v.fields AS field
  WITH field, max(v.number) AS number
  WITH DISTINCT number
  ORDER BY number
  MATCH (v:Version {of_uid: $uid, number: number})
  RETURN collect(v {.number, .changes, .before}) AS versions
}
CALL (n, reached) {
  // Observations have no stored first version: the first later version of a field has its value at that time.
  WITH n, reached
  WHERE n:Observation
  MATCH (v:Version)
  USING INDEX SEEK v:Version(of_uid, number)
  WHERE v.of_uid = $uid AND v.number > reached
  UNWIND v.fields AS field
  WITH field, min(v.number) AS number
  WITH DISTINCT number
  ORDER BY number
  MATCH (v:Version {of_uid: $uid, number: number})
  RETURN collect(v {.number, .changes, .before}) AS later
}
CALL (n) {
  MATCH (n)-[link:CHILD_OF|DERIVED_FROM|ABOUT|EVIDENCES|CONTRADICTS]-(m)
  WHERE link.since <= $at AND (link.until IS NULL OR link.until > $at) AND (m.scope_id IN $readable
    // only if $grantees
    OR EXISTS {
      MATCH (m) (()-[about:ABOUT WHERE about.until IS NULL]->()){0,1} (g:Goal)
      // part: shares(g)
        AND g.scope_id = m.scope_id
    }
    // end only
  )
  WITH link, m, startNode(link) = n AS outgoing
  ORDER BY link.since, link.position, m.uid
  LIMIT $most
  RETURN collect({type: type(link), other_id: m.uid, outgoing: outgoing, since: link.since, until: link.until}) AS links
}
RETURN labels(n) AS labels, versions, later, links, last {.number, .by_uid, .created_at} AS last, n.created_at AS created_at,
       n.by_uid AS by_uid,
       CASE WHEN n:Observation THEN n {
         .uid, .scope_id, .type, .content, .confidence, .tags, .status, .ttl_minutes, .client_key, .pinned, .by_uid, .metadata,
         source: {kind: n.source_kind, name: n.source_name, turn_id: n.source_turn_id, timestamp: toString(n.source_timestamp)},
         context: {goal_id: n.context_goal_id, goal_key: n.goal_key, user_id: n.user_id},
         entities: [i IN range(0, size(n.entity_names) - 1) | {name: n.entity_names[i], kind: nullIf(n.entity_kinds[i], '')}],
         created_at: toString(n.created_at), expires_at: toString(n.expires_at), archived_at: toString(n.archived_at)
       } END AS now
