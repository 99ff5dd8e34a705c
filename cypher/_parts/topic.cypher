// The topic of a row, which is created if the space does not have it.
// variables: t, row
MERGE (t:Topic {scope_id: row.scope_id, key: row.key})
  ON CREATE SET t.uid = row.uid, t.org_id = row.org_id, t.name = row.name, t.created_at = row.created_at, t.by_uid = row.by_uid
