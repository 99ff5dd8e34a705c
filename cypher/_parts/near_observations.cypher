// The active observations of a space that are nearest to the vector of each text in `$near` and may have its subject.
// variables: near_found
CALL () {
  CALL () {
    // The slot that has vectors of this encoder.
    OPTIONAL MATCH (slots:Embedding {name: 'memory'})
    RETURN CASE
      // part: slot(slots)
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
  RETURN collect({uid: uid, found: found}) AS near_found
}
