// A space has a lock that all who store texts share, and who forgets one has alone. A step in Python links durable memories to
// their topics, and gives each memory, observations too, the digest of its text by which it is found when the text is forgotten.
// formerly: a5fc9c77e4cebcedeff77d4bc64429d80ea3d10646677f8a4377e01a3bb89ea2, which waited for ever for a lock of its own
// No condition that seeks a lock: the outer transaction would hold what it sought, and the inner ones would wait for it.
MATCH (s:Space)
CALL (s) {
  MERGE (:KeyLock {scope_id: s.uid, key: 'texts'})
} IN TRANSACTIONS OF 1000 ROWS;
