// Stores what an outcome teaches: new lessons, the next versions of known ones, what it speaks for and against, and what contradicts what; one row with the numbers.
// mode: write
// scope: caller
// params: outcome_uid, new, changed, taught, against, conflicts, topics, encoder, actor_id, now, writable
// returns: one
CYPHER 25
OPTIONAL MATCH (slots:Embedding {name: 'memory'})
CALL (slots) {
  UNWIND $new AS row
  WITH slots, row WHERE row.properties.scope_id IN $writable
  CREATE (m:Memory:Remembered:Lesson)
  SET m = row.properties
  // part: embedding(m, row, slots)
  SET m.embedding_a = CASE WHEN slots.a = $encoder THEN row.vector END,
      m.embedded_a = CASE WHEN slots.a = $encoder AND row.vector IS NOT NULL THEN $encoder END,
      m.embedding_b = CASE WHEN slots.b = $encoder THEN row.vector END,
      m.embedded_b = CASE WHEN slots.b = $encoder AND row.vector IS NOT NULL THEN $encoder END
  // end part
  // part: unembedded(m, slots)
  REMOVE m:Unembedded
  FOREACH (_ IN CASE
    WHEN m.searchable_in IS NULL OR CASE slots.serving WHEN 'b' THEN m.embedded_b ELSE m.embedded_a END IS NOT NULL THEN []
    ELSE [1]
  END | SET m:Unembedded)
  // end part
  CREATE (v:Version)
  SET v = row.version
  CREATE (v)-[:OF]->(m)
  WITH m, row
  // part: mentions(m, row)
  CALL (m, row) {
    UNWIND row.mentions AS mention
    MATCH (e:Entity {uid: mention.entity_uid})
    CREATE (m)-[:MENTIONS {
      how: 'declared', confidence: 1.0, count: mention.count, scope_id: m.scope_id, entity_uid: e.uid, from_uid: m.uid
    }]->(e)
  }
  CALL (m, row) {
    UNWIND row.names AS name
    MATCH (known:Name)
    USING INDEX SEEK known:Name(scope_id, key)
    // As a range: to look for one key by the constraint locks it, and writers whose texts have one name would wait for each other.
    WHERE known.scope_id = m.scope_id AND known.key >= name.key AND known.key <= name.key
      AND NOT known.entity_uid IN [mention IN row.mentions | mention.entity_uid]
    WITH m, collect({
      uid: known.entity_uid, first: name.first, last: name.last, confidence: CASE WHEN name.text = known.name THEN name.alike ELSE name.otherwise END
    }) AS found
    UNWIND found AS hit
    // Of two names in one place the longer one is meant.
    WITH m, hit
    WHERE NOT any(wider IN found WHERE wider.first <= hit.first AND wider.last >= hit.last AND wider.last - wider.first > hit.last - hit.first)
    WITH m, hit.uid AS uid, count(*) AS number, max(hit.confidence) AS confidence
    MATCH (e:Entity {uid: uid})
    // Without `entity_uid`, which a declared mention has: what reads the index of mentions has those alone.
    CREATE (m)-[:MENTIONS {how: 'extracted', confidence: confidence, count: number, scope_id: m.scope_id, from_uid: m.uid}]->(e)
  }
  // end part
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
  MERGE (t:Topic {scope_id: row.scope_id, key: row.key})
    ON CREATE SET t.uid = row.uid, t.org_id = row.org_id, t.name = row.name, t.created_at = row.created_at, t.by_uid = row.by_uid
  // end part
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
