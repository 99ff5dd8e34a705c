// The vectors of a text that a row changes are removed, before the row's properties are set.
// variables: n, row
FOREACH (_ IN CASE WHEN n.content = row.properties.content THEN [] ELSE [1] END |
  REMOVE n.embedding_a, n.embedded_a, n.embedding_b, n.embedded_b
)
