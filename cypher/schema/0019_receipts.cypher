// What a context included is stored on its receipt: nothing that was merely seen is locked any more. A job creates the relationships.
CREATE INDEX context_receipt_link IF NOT EXISTS FOR (n:ContextReceipt) ON (n.link_at);
// Receipts of before: from the relationships, and from the ids in the list of what was left out.
MATCH (r:ContextReceipt) WHERE r.included_uids IS NULL
CALL (r) {
  CALL (r) {
    OPTIONAL MATCH (r)<-[:RECEIVED]-(:Turn)-[saw:SAW]->(seen)
    WHERE saw.receipt_uid = r.uid
    WITH saw, seen ORDER BY saw.rank
    RETURN collect(seen.uid) AS uids, collect(saw.section) AS sections, collect(saw.rank) AS ranks,
           collect(saw.tokens) AS tokens, collect(saw.score) AS scores, collect(saw.reason) AS reasons
  }
  SET r.included_uids = uids, r.included_sections = sections, r.included_ranks = ranks, r.included_tokens = tokens,
      r.included_scores = scores, r.included_reasons = reasons,
      r.excluded_uids = [part IN split(r.excluded, '"uid": "')[1..] | split(part, '"')[0]]
} IN TRANSACTIONS OF 200 ROWS;
