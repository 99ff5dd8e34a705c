// Gives events the next places of their organisations, in the order of the lists; one row with the last place of each organisation.
// mode: write, returns: one, scope: system - the relay serves every organisation
CYPHER 25
UNWIND $orders AS row
MERGE (counter:EventCounter {uid: row.uid})
  ON CREATE SET counter.org_id = row.org_id, counter.scope_id = row.org_id, counter.name = 'Events', counter.created_at = $now,
                counter.by_uid = row.org_id, counter.seq = 0, counter.told = 0,
                counter.unpublished = false
// The write lock comes before the number is read.
SET counter.stamped_at = $now
WITH row, counter, counter.seq AS last
CALL (row, last) {
  UNWIND range(0, size(row.uids) - 1) AS place
  // What somebody else has stamped or deleted meanwhile takes no place, so there is no gap.
  MATCH (e:Unsequenced {uid: row.uids[place]})
  WITH e, place ORDER BY place
  WITH collect(e) AS found, last
  UNWIND range(0, size(found) - 1) AS place
  WITH found[place] AS e, last + 1 + place AS seq
  SET e.seq = seq
  REMOVE e:Unsequenced
  RETURN count(e) AS stamped
}
SET counter.seq = last + stamped, counter:Untold
RETURN collect({org_id: row.org_id, seq: last + stamped}) AS items
