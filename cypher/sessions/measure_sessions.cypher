// What active sessions hold, by their types: one row.
// mode: read, returns: one, scope: system - the metrics of a process are those of every organisation
CYPHER 25
CALL () {
  MATCH (s:Session)
  USING INDEX SEEK s:Session(status, last_activity)
  WHERE s.status = 'active' AND s.last_activity IS NOT NULL
  RETURN s.session_type AS session_type, sum(s.items) AS items, sum(s.max_capacity) AS places,
    sum(CASE WHEN s.items > 0 THEN 1 ELSE 0 END) AS filled, sum(CASE WHEN s.items > 0 THEN s.coherence ELSE 0.0 END) AS coherence
}
RETURN collect({session_type: session_type, items: items, places: places, filled: filled, coherence: coherence}) AS types
