// Stores what an outcome teaches: new lessons, the next versions of known ones, what it speaks for and against, and what contradicts what; one row with the numbers.
// mode: write, returns: one, scope: caller
CYPHER 25
OPTIONAL MATCH (slots:Embedding {name: 'memory'})
CALL (slots) {
  UNWIND $new AS row
  WITH slots, row WHERE row.properties.scope_id IN $writable
  CREATE (m:Memory:Remembered:Lesson)
  SET m = row.properties
  // part: embedding(m, row, slots)
  // part: unembedded(m, slots)
  CREATE (v:Version)
  SET v = row.version
  CREATE (v)-[:OF]->(m)
  WITH m, row
  // part: mentions(m, row)
  RETURN collect(m) AS stored
}
CALL () {
  UNWIND $changed AS row
  MATCH (m:Lesson&Memory {uid: row.properties.uid})
  WHERE m.scope_id IN $writable
  SET m += row.properties
  CREATE (v:Version)
  SET v = row.version
  CREATE (v)-[:OF]->(m)
  RETURN count(m) AS changed
}
CALL (stored) {
  // Topic by topic and not lesson by lesson: concurrent transactions link to the same topics in the same order.
  UNWIND $topics AS row
  WITH stored, row WHERE row.scope_id IN $writable
  // part: topic(t, row)
  WITH stored, row, t
  UNWIND row.about AS item
  WITH stored[item.place] AS m, item.uid AS uid, row, t
  WHERE m IS NOT NULL
  CREATE (m)-[:ON {scope_id: row.scope_id, topic_uid: t.uid, from_uid: uid}]->(t)
}
OPTIONAL MATCH (outcome:Outcome {uid: $outcome_uid})
WHERE outcome.scope_id IN $writable
CALL (outcome, stored) {
  UNWIND $taught AS row
  MATCH (m:Lesson&Memory {uid: row.uid})
  WHERE m.scope_id IN $writable AND outcome IS NOT NULL
  FOREACH (_ IN CASE WHEN row.first THEN [1] ELSE [] END | CREATE (outcome)-[:TAUGHT {at: $now, evidence: row.evidence}]->(m))
  FOREACH (_ IN CASE WHEN row.first THEN [] ELSE [1] END | CREATE (outcome)-[:SUPPORTS {at: $now, evidence: row.evidence}]->(m))
}
CALL (outcome, stored) {
  UNWIND $against AS uid
  MATCH (m:Lesson&Memory {uid: uid})
  WHERE m.scope_id IN $writable AND outcome IS NOT NULL
  CREATE (outcome)-[:CONTRADICTS {since: $now, by: $actor_id, how: 'detected'}]->(m)
}
CALL (stored) {
  UNWIND $conflicts AS row
  MATCH (one:Lesson&Memory {uid: row.uid})
  MATCH (other:Lesson&Memory {uid: row.other})
  WHERE one.scope_id IN $writable AND other.scope_id = one.scope_id AND NOT EXISTS { (one)-[:CONTRADICTS]-(other) }
  CREATE (one)-[:CONTRADICTS {since: $now, by: $actor_id, how: 'detected'}]->(other)
}
RETURN size(stored) AS stored, changed, outcome IS NOT NULL AS linked
