// A page of what the contexts of each of some turns included: the newest context first, in the order of its text; one row.
// mode: read
// scope: caller
// params: pages, limit, readable
// returns: one
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (turn:Turn {uid: page.uid})-[saw:SAW]->(seen)
  WHERE turn.scope_id IN $readable AND seen.scope_id IN $readable
    AND (page.after IS NULL OR saw.receipt_uid < page.after[0]
         OR saw.receipt_uid = page.after[0] AND saw.rank > page.after[1])
  WITH saw, seen
  ORDER BY saw.receipt_uid DESC, saw.rank
  LIMIT $limit
  RETURN collect({key: [saw.receipt_uid, saw.rank], uid: seen.uid, section: saw.section, rank: saw.rank, tokens: saw.tokens,
                  score: saw.score, reason: saw.reason}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
