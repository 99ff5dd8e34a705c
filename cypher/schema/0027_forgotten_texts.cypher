// A space has a lock that all who store texts share, and who forgets one has alone. A step in Python links durable memories to
// their topics, and gives each memory, observations too, the digest of its text by which it is found when the text is forgotten.
MATCH (s:Space)
WHERE NOT EXISTS { (:KeyLock {scope_id: s.uid, key: 'texts'}) }
CALL (s) {
  MERGE (:KeyLock {scope_id: s.uid, key: 'texts'})
} IN TRANSACTIONS OF 1000 ROWS;
