// How near some memories are by meaning to the first one; one row, without those that have no vector of the encoder.
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
  )) AS vector
}
CALL (slot, vector) {
  UNWIND $uids AS uid
  MATCH (m:Memory {uid: uid})
  WHERE m.scope_id IN $readable AND m.org_id = $org_id
  WITH m, vector,
  // part: vector(m, slot)
  AS other
  WHERE vector IS NOT NULL AND other IS NOT NULL
  RETURN collect({uid: m.uid, cosine: 2 * vector.similarity.cosine(vector, other) - 1}) AS items
}
RETURN items
