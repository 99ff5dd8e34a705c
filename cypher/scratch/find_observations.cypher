// The readable observations among some ids; one row.
// mode: read
// scope: caller
// params: uids, readable, archived_before
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (o:Observation&Memory {uid: uid})
WHERE o.scope_id IN $readable
  AND (
    // part: retained(o)
    o.archived_at IS NULL OR o.archived_at > $archived_before OR NOT o.status IN ['expired', 'archived'] OR coalesce(o.pinned, false)
    // What is or was evidence belongs to the history of what it is evidence of, and a summary rests on it.
    OR EXISTS { (o)-[:EVIDENCES]->() } OR EXISTS { (o)<-[:RESTS_ON]-() }
    // A contradiction belongs to the history of the other side too.
    OR EXISTS {
      MATCH (o)-[:CONTRADICTS]-(other:Observation)
      WHERE other.archived_at IS NULL OR other.archived_at > $archived_before OR EXISTS { (other)-[:EVIDENCES]->() }
    }
    // end part
  )
RETURN collect(o {
  // part: observation_fields(o)
  .uid, .scope_id, .type, .content, .confidence, .tags, .status, .source_kind, .source_name, .source_turn_id,
  .source_timestamp, .context_goal_id, .goal_key, .user_id, .ttl_minutes, .metadata, .client_key,
  created_at: toString(o.created_at), updated_at: toString(o.updated_at), expires_at: toString(o.expires_at),
  .archived_at, .pinned, .by_uid, .version, .entity_names, .entity_kinds
  // end part
}) AS items
