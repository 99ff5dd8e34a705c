// How near some memories are by meaning to the first one or to a vector, with their types and tags; one row. The cosine is null without a vector of the encoder.
// mode: read, returns: one, scope: caller
CYPHER 25
OPTIONAL MATCH (slots:Embedding {name: 'memory'})
WITH CASE
  // part: slot(slots)
END AS slot
CALL (slot) {
  MATCH (m:Memory {uid: $first})
  WHERE m.scope_id IN $readable AND m.org_id = $org_id
  RETURN head(collect(
    // part: vector(m, slot)
  )) AS stored
}
WITH slot, coalesce($vector, stored) AS vector
CALL (slot, vector) {
  UNWIND $uids AS uid
  MATCH (m:Memory {uid: uid})
  WHERE m.scope_id IN $readable AND m.org_id = $org_id
  WITH m, vector,
  // part: vector(m, slot)
  AS other
  RETURN collect({
    uid: m.uid, labels: [label IN coalesce(m.tags, []) + [m.type] WHERE label IS NOT NULL],
    cosine: CASE WHEN vector IS NOT NULL AND other IS NOT NULL THEN 2 * vector.similarity.cosine(vector, other) - 1 END
  }) AS items
}
RETURN items
