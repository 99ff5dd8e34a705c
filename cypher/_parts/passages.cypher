// The passages of a row's long memory, each with its vector.
// variables: m, row, slots
CALL (m, row, slots) {
  UNWIND row.passages AS passage
  CREATE (p:Memory:Passage)
  SET p = passage.properties
  // part: embedding(p, passage, slots)
  // part: unembedded(p, slots)
  CREATE (p)-[:PART_OF]->(m)
}
