// Locks the subjects of a decision until the commit, and then says of which observations the text is repeated; one row.
// mode: write, returns: one, scope: caller
CYPHER 25
CALL () {
  // The key is locked by its uniqueness constraint until the commit, also when its node is deleted again: so nothing is stored.
  // `keys` is sorted, so that two evaluations with the same subjects wait for each other instead of deadlocking.
  UNWIND $keys AS row
  WITH row WHERE row.scope_id IN $writable
  MERGE (held:KeyLock {scope_id: row.scope_id, key: row.key})
  DELETE held
  RETURN count(*) AS held
}
UNWIND $uids AS uid
MATCH (o:Observation&Memory {uid: uid})
WHERE o.scope_id IN $writable
CALL (o) {
  // If a text occurs thousands of times, the oldest 100 are enough: if any of them is linked, an old one is.
  MATCH (twin:Observation)
  USING INDEX SEEK twin:Observation(scope_id, text_key, uid)
  WHERE twin.scope_id = o.scope_id AND twin.text_key = o.text_key AND twin.uid IS NOT NULL
    AND coalesce(twin.user_id, '') = coalesce(o.user_id, '')
  WITH twin
  ORDER BY twin.scope_id, twin.text_key, twin.uid
  LIMIT 100
  WITH twin WHERE twin.uid <> o.uid
  RETURN count(CASE WHEN twin.uid < o.uid THEN 1 END) > 0 AS repeated,
         count(CASE WHEN EXISTS { MATCH (twin)-[link:EVIDENCES]->(:Goal) WHERE link.until IS NULL } THEN 1 END) > 0
           AS twin_linked
}
RETURN collect({uid: o.uid, repeated: repeated, twin_linked: twin_linked}) AS items
