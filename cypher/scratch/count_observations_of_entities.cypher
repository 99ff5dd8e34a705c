// The number of readable observations that mention each of some entities; one row.
// mode: read
// scope: caller
// params: uids, readable, archived_before
// returns: one
CYPHER 25
UNWIND $uids AS uid
CALL (uid) {
  UNWIND $readable AS scope_id
  MATCH (o:Observation)-[mention:MENTIONS]->(:Entity)
  USING INDEX SEEK mention:MENTIONS(scope_id, entity_uid, from_uid)
  WHERE mention.scope_id = scope_id AND mention.entity_uid = uid AND mention.from_uid > 'obs_' AND mention.from_uid < 'obs_~'
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
  RETURN count(mention) AS number
}
RETURN collect({uid: uid, number: number}) AS items
