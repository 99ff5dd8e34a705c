// Notes that the import of an organisation has begun, and whose vectors its nodes have if the database has none yet.
// mode: write, returns: none, scope: organisation
CYPHER 25
MERGE (slots:Embedding {name: 'memory'})
  ON CREATE SET slots.serving = $serving
WITH slots, slots.a IS NULL AND slots.b IS NULL AS free
SET slots.serving = CASE WHEN free THEN $serving ELSE slots.serving END,
    slots.a = CASE WHEN free THEN $slot_a ELSE slots.a END,
    slots.b = CASE WHEN free THEN $slot_b ELSE slots.b END
// Two processes that begin at once: the second waits for the first.
MERGE (held:KeyLock {scope_id: $org_id, key: 'import'})
DELETE held
WITH slots
MERGE (m:Importing {uid: 'import_' + $org_id})
  ON CREATE SET m.org_id = $org_id, m.sha256 = $sha256, m.done = 0
