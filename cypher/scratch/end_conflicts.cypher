// Ends the contradictions detected for the old texts of observations and finds those with the frames of the new texts and those near in meaning; one row.
// mode: write
// scope: caller
// params: rows, uids, near, encoder, most, nearest, longest, now, writable
// returns: one
CYPHER 25
// part: near_observations(near)
CALL () {
  CALL () {
    // The slot that has vectors of this encoder.
    OPTIONAL MATCH (slots:Embedding {name: 'memory'})
    RETURN CASE
      WHEN slots.a = $encoder AND (slots.serving = 'a' OR coalesce(slots.b, '') <> $encoder) THEN 'a'
      WHEN slots.b = $encoder THEN 'b'
    END AS slot
  }
  CALL (slot) {
    UNWIND CASE slot WHEN 'a' THEN $near ELSE [] END AS text
    CALL (text) {
      MATCH (other:Memory)
      SEARCH other IN (
        VECTOR INDEX memory_vector_a FOR text.vector
        WHERE other.searchable_in = text.scope_id AND other.kind = 'observation' AND other.expires_at > $now
        LIMIT $nearest
      ) SCORE AS score
      WHERE text.scope_id IN $writable AND other.scope_id = text.scope_id AND other.uid <> text.uid
        AND coalesce(other.user_id, '') = text.user_id AND size(other.content) <= $longest
      RETURN other, score
    }
    RETURN text.uid AS uid, other, score
    UNION ALL
    UNWIND CASE slot WHEN 'b' THEN $near ELSE [] END AS text
    CALL (text) {
      MATCH (other:Memory)
      SEARCH other IN (
        VECTOR INDEX memory_vector_b FOR text.vector
        WHERE other.searchable_in = text.scope_id AND other.kind = 'observation' AND other.expires_at > $now
        LIMIT $nearest
      ) SCORE AS score
      WHERE text.scope_id IN $writable AND other.scope_id = text.scope_id AND other.uid <> text.uid
        AND coalesce(other.user_id, '') = text.user_id AND size(other.content) <= $longest
      RETURN other, score
    }
    RETURN text.uid AS uid, other, score
  }
  WITH uid, other, score ORDER BY score DESC, other.uid DESC
  WITH uid, collect(other {.uid, .content, .user_id, .entity_uids}) AS found
  RETURN collect({uid: uid, found: found}) AS near
}
// end part
UNWIND $rows AS row
MATCH (o:Observation&Memory {uid: row.uid})
WHERE o.scope_id IN $writable
CALL (o) {
  MATCH (o)-[link:CONTRADICTS]-(:Observation)
  WHERE link.until IS NULL AND link.how IN ['detected', 'inferred']
  SET link.until = $now
}
CALL (o, row) {
  MATCH (other:Observation)
  USING INDEX SEEK other:Observation(scope_id, frame_key, uid)
  WHERE other.scope_id = o.scope_id AND other.frame_key = row.frame_key AND other.uid IS NOT NULL
  WITH other
  // All three properties, although two are constant here: only then does the planner use the order of the index.
  ORDER BY other.scope_id DESC, other.frame_key DESC, other.uid DESC
  LIMIT 5 * $most
  WITH other
  // Those whose text changes as well are compared with each other by the caller.
  WHERE NOT other.uid IN $uids AND other.status = 'active' AND other.expires_at > $now AND size(other.content) <= $longest
  LIMIT $most
  RETURN collect(other {.uid, .content}) AS found
}
RETURN collect({uid: o.uid, found: found}) AS items, near
