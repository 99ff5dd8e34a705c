// Deletes exports, takes summaries from turns, and takes what was forgotten from the parts of commits that failed; one row with the number of exports.
// mode: write, returns: one, scope: caller
CYPHER 25
CALL () {
  UNWIND $parts AS row
  MATCH (p:PendingCommit {uid: row.uid})
  WHERE p.scope_id IN $writable
  // This write locks the node before its payload is looked at: a part that was committed meanwhile has none.
  SET p.updated_at = $now
  WITH p, row
  WHERE p.payload = row.former
  SET p.payload = row.payload
}
CALL () {
  UNWIND $turns AS uid
  MATCH (turn:Turn {uid: uid})
  WHERE turn.scope_id IN $writable AND turn.summary IS NOT NULL
  SET turn.summary = null, turn.updated_at = $now, turn.version = turn.version + 1
}
CALL () {
  UNWIND $exports AS uid
  MATCH (x:StateExport {uid: uid})
  WHERE x.scope_id IN $writable
  DETACH DELETE x
  RETURN count(*) AS deleted
}
RETURN deleted
