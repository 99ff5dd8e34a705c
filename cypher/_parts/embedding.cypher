// The vector of a row into the slots that hold vectors of `$encoder`; those of an earlier text are removed.
// variables: m, row, slots
SET m.embedding_a = CASE WHEN slots.a = $encoder THEN row.vector END,
    m.embedded_a = CASE WHEN slots.a = $encoder AND row.vector IS NOT NULL THEN $encoder END,
    m.embedding_b = CASE WHEN slots.b = $encoder THEN row.vector END,
    m.embedded_b = CASE WHEN slots.b = $encoder AND row.vector IS NOT NULL THEN $encoder END
