// What turns keep that may hold some records or texts: exports and summaries, and the parts of commits that failed; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  UNWIND $uids AS uid
  MATCH (:Memory|Goal|PendingAction|Question|Story {uid: uid})<-[:MADE]-(turn:Turn)
  WHERE turn.scope_id IN $writable
  RETURN collect(DISTINCT turn) AS makers
}
CALL (makers) {
  UNWIND makers AS turn
  MATCH (turn)-[:EXPORTED]->(x:StateExport)
  WHERE x.scope_id IN $writable
  RETURN collect(x {.uid, .scope_id, .turn_uid}) AS theirs
}
CALL () {
  // Without words, no export is read.
  UNWIND CASE WHEN $words = [] THEN [] ELSE $writable END AS scope_id
  MATCH (x:StateExport)
  USING INDEX SEEK x:StateExport(scope_id, uid)
  WHERE x.scope_id = scope_id AND x.uid IS NOT NULL AND any(word IN $words WHERE toLower(x.body) CONTAINS word)
  RETURN collect(x {.uid, .scope_id, .turn_uid, .body}) AS exports
}
CALL () {
  UNWIND CASE WHEN $quotes = [] THEN [] ELSE $writable END AS scope_id
  MATCH (turn:Turn)
  USING INDEX SEEK turn:Turn(scope_id, uid)
  WHERE turn.scope_id = scope_id AND turn.uid IS NOT NULL AND any(quote IN $quotes WHERE toLower(turn.summary) CONTAINS quote)
  RETURN collect(turn {.uid, .summary}) AS summaries
}
CALL () {
  UNWIND $writable AS scope_id
  UNWIND $unfinished AS status
  MATCH (p:PendingCommit)
  USING INDEX SEEK p:PendingCommit(scope_id, status, uid)
  WHERE p.scope_id = scope_id AND p.status = status AND p.uid IS NOT NULL
  RETURN collect(p {.uid, .payload}) AS parts
}
RETURN [turn IN makers | turn.uid] AS makers, theirs, exports, summaries, parts
