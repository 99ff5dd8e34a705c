// What an earlier session of the caller left unfinished and another one does not hold, the most salient first; no row if the caller does not have both.
// mode: read
// scope: caller
// params: session, from, scope_id, device_id, readable, limit, now
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
OPTIONAL MATCH (by_uid:Session {uid: $from})
OPTIONAL MATCH (by_key:Session {scope_id: $scope_id, key: $from})
WITH s, coalesce(by_uid, by_key) AS o
WHERE
  // part: is_own_on_any_device(o)
  o.scope_id = $scope_id AND o.scope_id IN $readable
  AND (coalesce(o.device_id, '') = $device_id OR EXISTS { (:Space {uid: $scope_id, links_devices: true}) })
  // end part
RETURN s.uid AS session, s.status AS status, o = s AS is_same, COLLECT {
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
  LIMIT $limit
} AS items
