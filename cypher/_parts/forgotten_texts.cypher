// The digests of a row's texts that were forgotten in its space. Who stores texts shares a lock, and who forgets one waits for all of them.
// variables: tombstone, row
// The node stays: to find it by its key takes a lock that others may share, to create it one that nobody else has.
MERGE (:KeyLock {scope_id: row.scope_id, key: 'texts'})
WITH row
WHERE EXISTS { MATCH (first:Tombstone) WHERE first.scope_id = row.scope_id AND first.text_key > '' }
UNWIND row.keys AS text_key
MATCH (tombstone:Tombstone)
USING INDEX SEEK tombstone:Tombstone(scope_id, text_key)
// As a range: to look for one key by the constraint locks it, and two that store the same text would wait for each other.
WHERE tombstone.scope_id = row.scope_id AND tombstone.text_key >= text_key AND tombstone.text_key <= text_key
