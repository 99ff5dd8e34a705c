// A page of the readable StateExports of each of some turns, oldest first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (turn:Turn {uid: page.uid})-[:EXPORTED]->(x:StateExport)
  WHERE turn.scope_id IN $readable AND x.scope_id IN $readable AND x.uid >= $oldest AND x.uid > coalesce(page.after[0], '')
  WITH x
  ORDER BY x.uid
  LIMIT $limit
  RETURN collect({key: [x.uid], uid: x.uid, scope_id: x.scope_id, turn_uid: x.turn_uid, body: x.body, digest: x.digest,
                  created_at: toString(x.created_at), by_uid: x.by_uid}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
