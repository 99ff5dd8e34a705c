// The entity of a row, as it is spelled in the row's space; both are created if they do not exist.
// variables: row
MATCH (common:Space {org_id: row.org_id, key: 'common'})
MERGE (e:Entity {org_id: row.org_id, key: row.key})
  ON CREATE SET e.uid = row.uid, e.scope_id = common.uid, e.name = row.caption, e.created_at = row.created_at,
                e.by_uid = row.by_uid
// A node of its own and not a relationship to the space: a new name locks its key, and no other writer of the space waits.
MERGE (named:Name {scope_id: row.scope_id, key: row.key})
  ON CREATE SET named.uid = row.name_uid, named.org_id = row.org_id, named.entity_uid = row.uid, named.name = row.name,
                named.kind = row.kind, named.created_at = row.created_at, named.by_uid = row.by_uid
MERGE (named)-[:SPELLS]->(e)
WITH named, row
// Set only if it changes something, because a write would wait for the locks of other transactions.
WHERE named.kind IS NULL AND row.kind IS NOT NULL
SET named.kind = row.kind
