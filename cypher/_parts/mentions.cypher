// The entities that a record mentions: those it declares, and those whose names its space knows and its text has.
// variables: m, row
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
