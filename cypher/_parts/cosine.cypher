// The cosine of the vector of a memory or passage and of the question's, of the same encoder; speech has a question's vector of its own.
// variables: m, slot
CASE slot
  WHEN 'a' THEN CASE WHEN m.embedded_a = $encoder THEN 2 * vector.similarity.cosine(m.embedding_a, CASE WHEN m.kind IN $spoken THEN $speech ELSE $vector END) - 1 END
  WHEN 'b' THEN CASE WHEN m.embedded_b = $encoder THEN 2 * vector.similarity.cosine(m.embedding_b, CASE WHEN m.kind IN $spoken THEN $speech ELSE $vector END) - 1 END
END
