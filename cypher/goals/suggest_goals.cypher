// The open goals that an observation may be evidence of: those that it names, those about its topics, those with evidence about its entities, and those near to it; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
MATCH (o:Observation&Memory {uid: $observation_id})
WHERE o.scope_id IN $readable
CALL (o) {
  UNWIND $topics AS row
  MATCH (t:Topic {scope_id: row.scope_id, key: row.key})
  CALL (t) {
    MATCH (g)-[on:ON]->()
    USING INDEX SEEK on:ON(scope_id, topic_uid, from_uid)
    // Observations are about the topic too: the prefix leaves only goals, which are walked newest first.
    WHERE on.scope_id = t.scope_id AND on.topic_uid = t.uid AND on.from_uid STARTS WITH 'goal_'
    RETURN g
    ORDER BY on.scope_id DESC, on.topic_uid DESC, on.from_uid DESC
    LIMIT $most
  }
  RETURN g, t.key AS topic, null AS entity, false AS named
UNION ALL
  UNWIND o.entity_uids AS entity_uid
  UNWIND $writable AS scope_id
  CALL (o, entity_uid, scope_id) {
    // An entity may have very many mentions, so only its newest ones of each space are read.
    MATCH (other)-[via:MENTIONS]->()
    USING INDEX SEEK via:MENTIONS(scope_id, entity_uid, from_uid)
    WHERE via.scope_id = scope_id AND via.entity_uid = entity_uid AND via.from_uid STARTS WITH 'obs_'
    WITH other, via
    ORDER BY via.scope_id DESC, via.entity_uid DESC, via.from_uid DESC
    LIMIT $hub
    MATCH (other)-[link:EVIDENCES]->(g:Goal)
    WHERE other <> o AND other.scope_id IN $readable AND link.until IS NULL
    RETURN DISTINCT g
  }
  RETURN g, null AS topic, [place IN range(0, size(o.entity_uids) - 1) WHERE o.entity_uids[place] = entity_uid | o.entity_names[place]][0] AS entity, false AS named
UNION ALL
  UNWIND $near AS uid
  MATCH (g:Goal {uid: uid})
  RETURN g, null AS topic, null AS entity, false AS named
UNION ALL
  MATCH (g:Goal {uid: $goal_id})
  RETURN g, null AS topic, null AS entity, true AS named
UNION ALL
  UNWIND $statuses AS status
  CALL (o, status) {
    MATCH (g:Goal)
    USING INDEX SEEK g:Goal(scope_id, goal_type, status, uid)
    WHERE g.scope_id = o.scope_id AND g.goal_type = $goal_key AND g.status = status AND g.uid IS NOT NULL
    RETURN g
    ORDER BY g.scope_id, g.goal_type, g.status, g.uid
    LIMIT 1
  }
  RETURN g, null AS topic, null AS entity, true AS named
}
// Each goal is read once, whatever it has in common with the observation.
WITH o, g, collect(DISTINCT topic) AS topics, collect(DISTINCT entity) AS entities, max(named) AS named
WHERE g.status IN $statuses
  AND ($user_id IS NULL OR g.user_id IS NULL OR g.user_id = $user_id)
  AND (g.scope_id IN $writable
    // part: shared_for_writing(g) if $grantees
  )
  AND NOT EXISTS { (o)-[link:EVIDENCES WHERE link.until IS NULL]->(g) }
RETURN collect({uid: g.uid, topics: topics, entities: entities, named: named}) AS items
