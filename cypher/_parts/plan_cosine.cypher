// The cosine of the vector of a goal, question or story and of the question's; null without one.
// variables: n, slot
CASE slot
  WHEN 'a' THEN CASE WHEN n.embedded_a = $encoder THEN 2 * vector.similarity.cosine(n.embedding_a, $vector) - 1 END
  WHEN 'b' THEN CASE WHEN n.embedded_b = $encoder THEN 2 * vector.similarity.cosine(n.embedding_b, $vector) - 1 END
END
