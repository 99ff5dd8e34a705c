// The versions that decide each field of a record at one of its versions, oldest first; no row if it is not readable.
// mode: read, returns: optional, scope: caller
CYPHER 25
MATCH (at:Version {of_uid: $uid, number: $number})-[:OF]->(n)
WHERE n.scope_id IN $readable
  // only if $people
  OR EXISTS { MATCH (a:PendingAction {uid: n.uid}) WHERE a.person_id IN $people }
  // end only
  // part: shared_record(n) if $grantees
CALL () {
  MATCH (v:Version)
  USING INDEX SEEK v:Version(of_uid, number)
  WHERE v.of_uid = $uid AND v.number <= $number
  UNWIND v.fields AS field
  WITH field, max(v.number) AS number
  WITH DISTINCT number
  ORDER BY number
  MATCH (v:Version {of_uid: $uid, number: number})
  RETURN collect(v {.number, .changes, .before}) AS versions
}
CALL () {
  MATCH (v:Version)
  USING INDEX SEEK v:Version(of_uid, number)
  WHERE v.of_uid = $uid AND v.number > $number
  UNWIND v.fields AS field
  RETURN collect(DISTINCT field) AS since
}
RETURN versions, since, at.created_at AS at
