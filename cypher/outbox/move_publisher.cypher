// Says what the broker has now, and which events it refused for good; one row with how many of these there are.
// mode: write, returns: one, scope: system - the publisher serves every organisation
CYPHER 25
CALL () {
  UNWIND $rows AS row
  MERGE (c:EventConsumer {scope_id: row.org_id, key: $key})
    ON CREATE SET c.uid = row.uid, c.org_id = row.org_id, c.name = $key, c.created_at = $now, c.by_uid = row.org_id, c.place = 0
  // The write lock comes before the place is read.
  SET c.moved_at = $now
  SET c.place = CASE WHEN c.place < row.place THEN row.place ELSE c.place END,
      c.failing_uid = row.failing_uid, c.attempts = row.attempts
  WITH row, c
  MATCH (counter:EventCounter {org_id: row.org_id})
  // The relay may tell of more meanwhile: the write lock comes before its place is read.
  SET counter.unpublished = true
  SET counter.unpublished = counter.told > c.place
}
CALL () {
  UNWIND $rows AS row
  UNWIND row.dead AS letter
  MATCH (e:OutboxEvent {org_id: row.org_id, seq: letter.seq})
  WHERE e.uid = letter.uid
  SET e:DeadLetter, e.dead_for = $key, e.dead_at = $now, e.dead_attempts = letter.attempts, e.dead_reason = letter.reason
  RETURN count(*) AS dead
}
RETURN dead
