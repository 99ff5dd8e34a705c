// The sessions that a session of the caller is related to, with what they share and what an earlier one left unfinished, the most related first; no row if the session is not the caller's.
// mode: read
// scope: caller
// params: session, scope_id, device_id, readable, only_earlier, limit, shared, unfinished, now
// returns: optional
CYPHER 25
CALL () {
  // part: own_session(s)
  MATCH (s:Session)
  WHERE s.uid = $session
  RETURN s
  UNION
  MATCH (s:Session)
  WHERE s.scope_id = $scope_id AND s.key = $session
  RETURN s
  // end part
}
WITH s
WHERE
  // part: is_own(s)
  s.scope_id = $scope_id AND s.scope_id IN $readable AND coalesce(s.device_id, '') = $device_id
  // end part
OPTIONAL MATCH (s)-[c:CORRELATES_WITH]-(o:Session)
WHERE
  // part: is_own_on_any_device(o)
  o.scope_id = $scope_id AND o.scope_id IN $readable
  AND (coalesce(o.device_id, '') = $device_id OR EXISTS { (:Space {uid: $scope_id, links_devices: true}) })
  // end part
  AND (NOT $only_earlier OR o.uid < s.uid)
WITH s, c, o
ORDER BY c.correlation_score DESC, o.uid DESC
LIMIT $limit
RETURN s.uid AS session, collect(c {
  .correlation_score, .relationship_type, .entity_overlap, .theme_similarity, .content_similarity, .temporal_proximity,
  is_earlier: o.uid < s.uid, session: o {
    // part: session_fields(o)
    .uid, .scope_id, .key, .session_type, .status, .max_capacity, .task, .focus, .conversation_turn, .active_duration_minutes, .dominant_themes, .coherence,
    .thematic_coherence, .entity_coherence, .temporal_coherence, .focus_strength, .items, .items_processed, focus_changes: coalesce(o.focus_changes, 0), .person_id, .device_id,
    last_activity: toString(o.last_activity), ended_at: toString(o.ended_at), created_at: toString(o.created_at), updated_at: toString(o.updated_at), .by_uid,
    .version
    // end part
  }, topics: COLLECT {
    MATCH (s)-[mine:ON]->(t:Topic)<-[theirs:ON]-(o)
    RETURN {uid: t.uid, name: mine.name, entity: mine.entity AND theirs.entity, theme: mine.theme AND theirs.theme}
    ORDER BY mine.name
    LIMIT $shared
  }, goals: COLLECT {
    MATCH (s)-[:WORKED_ON]->(g:Goal)<-[:WORKED_ON]-(o)
    WHERE g.scope_id IN $readable
    RETURN DISTINCT {uid: g.uid, name: g.title}
    LIMIT $shared
  }, memories: COLLECT {
    MATCH (s)-[mine:HOLDS]->(m:Memory)<-[theirs:HOLDS]-(o)
    WHERE NOT m:Fragment AND m.live AND m.scope_id IN $readable AND m.expires_at > $now AND
      // part: is_shown(mine)
      NOT coalesce(mine.redacted, false)
      // end part
      AND
      // part: is_shown(theirs)
      NOT coalesce(theirs.redacted, false)
      // end part
    RETURN DISTINCT {uid: m.uid, name: m.name}
    LIMIT $shared
  }, unfinished: CASE WHEN o.uid < s.uid THEN COLLECT {
    // part: unfinished(s, o)
    MATCH (o)-[h:HOLDS]->(m:Memory)
    WHERE
      (h.until IS NULL OR h.left_because = 'session_ended')
      AND NOT m:Fragment AND m.live AND m.scope_id IN $readable AND m.expires_at > $now AND
      NOT coalesce(h.redacted, false)
      AND NOT EXISTS {
        MATCH (s)-[held:HOLDS]->(m)
        WHERE held.until IS NULL OR NOT
          NOT coalesce(held.redacted, false)
      }
    RETURN {
      item_id: h.item_id, memory_uid: m.uid, content: m.content, content_type: h.content_type, entities: h.entities, salience: h.salience
    }
    ORDER BY h.salience DESC, m.uid
    // end part
    LIMIT $unfinished
  } ELSE [] END
}) AS items
