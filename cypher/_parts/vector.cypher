// The vector of a memory in a slot, if `$encoder` made it.
// variables: m, slot
CASE slot
  WHEN 'a' THEN CASE WHEN m.embedded_a = $encoder THEN m.embedding_a END
  WHEN 'b' THEN CASE WHEN m.embedded_b = $encoder THEN m.embedding_b END
END
