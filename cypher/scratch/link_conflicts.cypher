// Stores contradictions between observations; one row with the pairs that were linked.
// mode: write
// scope: caller
// params: rows, actor_id, readable, writable, now, archived_before
// returns: one
CYPHER 25
UNWIND $rows AS row
MATCH (o:Observation&Memory {uid: row.source_id})
WHERE o.scope_id IN $writable
MATCH (target:Observation&Memory {uid: row.target_id})
WHERE target.scope_id IN $readable AND target <> o
  AND (
    // part: retained(target)
    target.archived_at IS NULL OR target.archived_at > $archived_before OR NOT target.status IN ['expired', 'archived'] OR coalesce(target.pinned, false)
    // What is or was evidence belongs to the history of what it is evidence of, and a summary rests on it.
    OR EXISTS { (target)-[:EVIDENCES]->() } OR EXISTS { (target)<-[:RESTS_ON]-() }
    // A contradiction belongs to the history of the other side too.
    OR EXISTS {
      MATCH (target)-[:CONTRADICTS]-(other:Observation)
      WHERE other.archived_at IS NULL OR other.archived_at > $archived_before OR EXISTS { (other)-[:EVIDENCES]->() }
    }
    // end part
  )
CREATE (o)-[:CONTRADICTS {how: row.how, kind: row.kind, since: $now, by: $actor_id}]->(target)
RETURN collect({source_id: row.source_id, target_id: row.target_id}) AS items
