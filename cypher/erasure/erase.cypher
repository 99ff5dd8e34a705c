// Erases nodes, with the names and topics that nothing else has, and leaves digests of their texts.
// mode: write, returns: none, scope: organisation
CYPHER 25
CALL () {
  UNWIND $tombstones AS row
  MERGE (t:Tombstone {scope_id: row.scope_id, text_key: row.text_key})
    ON CREATE SET t = row
}
UNWIND $refs AS ref
MATCH (n)
WHERE elementId(n) = ref AND n.org_id = $org_id
WITH n
ORDER BY n.uid
WITH collect(n) AS gone
CALL (gone) {
  UNWIND gone AS n
  MATCH (n)<-[h:HOLDS]-(s:Session)
  WHERE NOT s IN gone
  WITH s, collect(h) AS slots
  ORDER BY s.uid
  // Whoever has locked the session may have read what is erased here.
  SET s.locked_at = $now,
      s.items = s.items - size([h IN slots WHERE h.until IS NULL]),
      s.dominant_themes = [theme IN s.dominant_themes WHERE NOT any(h IN slots WHERE theme IN h.themes)]
  WITH s, slots
  MATCH (s)-[about:ON]->(:Topic)
  WHERE any(h IN slots WHERE about.name IN h.themes OR about.name IN h.entities)
  DELETE about
}
CALL (gone) {
  UNWIND gone AS n
  MATCH (n)-[:ON|TAGGED|MENTIONS]->(hub:Topic|Tag|Entity)
  WHERE NOT hub IN gone
  RETURN collect(DISTINCT hub) AS hubs
}
CALL (gone) {
  // The events stay as entries of the audit log. Their data may have names that a client gave.
  UNWIND gone AS n
  MATCH (e:OutboxEvent)
  USING INDEX SEEK e:OutboxEvent(aggregate, uid)
  WHERE e.aggregate = n.uid AND e.uid IS NOT NULL
  SET e.data = '{}'
}
CALL (gone) {
  UNWIND gone AS n
  MATCH (a:AccessLog)
  USING INDEX SEEK a:AccessLog(session_uid, uid)
  WHERE a.session_uid = n.uid AND a.uid IS NOT NULL
  SET a.item_ids = []
}
CALL (gone) {
  UNWIND gone AS n
  DETACH DELETE n
}
CALL (hubs) {
  UNWIND hubs AS hub
  MATCH (hub)<-[:SPELLS]-(name:Name)
  WHERE NOT EXISTS { MATCH (hub)<-[m:MENTIONS]-() WHERE m.scope_id = name.scope_id }
  DETACH DELETE name
}
CALL (hubs) {
  UNWIND hubs AS hub
  WITH hub
  WHERE NOT EXISTS { (hub)<-[:ON|TAGGED|MENTIONS]-() }
  DETACH DELETE hub
}
