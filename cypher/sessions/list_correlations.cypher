// The sessions that a session of the caller is related to, with what they share and what an earlier one left unfinished, the most related first; no row if the session is not the caller's.
// mode: read, returns: optional, scope: caller
CYPHER 25
CALL () {
  // part: own_session(s)
}
WITH s
WHERE
  // part: is_own(s)
OPTIONAL MATCH (s)-[c:CORRELATES_WITH]-(o:Session)
WHERE
  // part: is_own_on_any_device(o)
  AND (NOT $only_earlier OR o.uid < s.uid)
WITH s, c, o
ORDER BY c.correlation_score DESC, o.uid DESC
LIMIT $limit
RETURN s.uid AS session, collect(c {
  .correlation_score, .relationship_type, .entity_overlap, .theme_similarity, .content_similarity, .temporal_proximity,
  is_earlier: o.uid < s.uid, session: o {
    // part: session_fields(o)
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
      AND
      // part: is_shown(theirs)
    RETURN DISTINCT {uid: m.uid, name: m.name}
    LIMIT $shared
  }, unfinished: CASE WHEN o.uid < s.uid THEN COLLECT {
    // part: unfinished(s, o)
    LIMIT $unfinished
  } ELSE [] END
}) AS items
