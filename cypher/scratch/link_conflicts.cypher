// Stores contradictions between observations; one row with the pairs that were linked.
// mode: write, returns: one, scope: caller
CYPHER 25
UNWIND $rows AS row
MATCH (o:Observation&Memory {uid: row.source_id})
WHERE o.scope_id IN $writable
MATCH (other:Observation&Memory {uid: row.target_id})
WHERE other.scope_id IN $readable AND other <> o
CREATE (o)-[:CONTRADICTS {how: row.how, kind: row.kind, since: $now, by: $actor_id}]->(other)
RETURN collect({source_id: row.source_id, target_id: row.target_id}) AS items
