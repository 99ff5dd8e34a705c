// Gives nodes of an organisation that is being imported their labels, which shows them to everybody, and notes how far it is.
// mode: write, returns: optional, scope: organisation
CYPHER 25
MATCH (marker:Importing {uid: 'import_' + $org_id})
WHERE marker.org_id = $org_id
SET marker.locked = true
WITH marker
// Another process may import the same file.
WHERE marker.done = $before
SET marker.done = $done
WITH marker
MERGE (slots:Embedding {name: 'memory'})
  ON CREATE SET slots.serving = $serving
// A database that has no vectors yet takes those of the file.
FOREACH (_ IN CASE WHEN coalesce(slots.a, slots.b) IS NULL AND coalesce($slot_a, $slot_b) IS NOT NULL THEN [1] ELSE [] END |
  SET slots.serving = $serving, slots.a = $slot_a, slots.b = $slot_b
)
WITH slots
CALL (slots) {
  UNWIND $rows AS row
  MATCH (m:Importing {uid: row.uid})
  WHERE m.org_id = $org_id
  SET m:$(row.labels)
  REMOVE m:Importing
  RETURN collect(m) AS shown
}
CALL (slots, shown) {
  UNWIND shown AS m
  WITH m, slots
  WHERE m.kind IS NOT NULL AND m.content IS NOT NULL
  // A vector of an encoder that this database does not have in the slot cannot be compared: a job makes another one.
  FOREACH (_ IN CASE WHEN m.embedded_a <> coalesce(slots.a, '') THEN [1] ELSE [] END |
    REMOVE m.embedding_a, m.embedded_a
  )
  FOREACH (_ IN CASE WHEN m.embedded_b <> coalesce(slots.b, '') THEN [1] ELSE [] END |
    REMOVE m.embedding_b, m.embedded_b
  )
  // part: unembedded(m, slots)
}
RETURN size(shown) AS written
